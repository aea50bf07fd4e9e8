"""An archive of skein export as a groom and its groom cache in Unreal (Alembic Groom Importer and Python plug-ins).

    import skein_groom; skein_groom.load("C:/path/run.abc", frames=100)

Written after Unreal's documentation; not run in Unreal."""
import unreal


def load(path, frames, folder="/Game/Skein"):
    settings = unreal.GroomCacheImportSettings(import_groom_cache=True, import_groom_asset=True, frame_start=0,
                                               frame_end=frames)
    cache = unreal.GroomCacheImportOptions()
    cache.set_editor_property("import_settings", settings)
    task = unreal.AssetImportTask()
    for name, value in (("filename", path), ("destination_path", folder), ("automated", True), ("save", True), ("options", cache)):
        task.set_editor_property(name, value)
    unreal.AssetToolsHelpers.get_asset_tools().import_asset_tasks([task])
    return list(task.get_editor_property("imported_object_paths"))
