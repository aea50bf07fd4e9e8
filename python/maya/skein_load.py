"""An archive of skein export in Maya: curves, meshes, camera; the time line becomes the run's.

    import skein_load; skein_load.load("/path/run.abc", fps=50)

Written after Maya's documentation; not run in Maya."""
from maya import cmds


def load(path, fps):
    cmds.loadPlugin("AbcImport", quiet=True)
    cmds.currentUnit(linear="cm", time=f"{fps:g}fps")
    before = set(cmds.ls(assemblies=True))
    cmds.AbcImport(path, mode="import", fitTimeRange=True, setToStartFrame=True)
    return sorted(set(cmds.ls(assemblies=True)) - before)
