"""An archive of skein export in Houdini's /obj: a Geometry object with the strands, one with the bodies, the camera.

    import skein_load; skein_load.load("/path/run.abc")

Written after Houdini's documentation; not run in Houdini."""
import hou


def load(path):
    path = path.replace("\\", "/")
    made = []
    for name, part in (("skein_hair", "/rods"), ("skein_bodies", "/bodies")):
        thing = hou.node("/obj").createNode("geo", name)
        for child in thing.children():
            child.destroy()
        archive = thing.createNode("alembic", "archive")
        archive.parm("fileName").set(path)
        archive.parm("objectPath").set(part)
        unpack = thing.createNode("unpack", "unpack")  # points and attributes (id, groom_*, width, v) to work with
        unpack.setInput(0, archive)
        unpack.setDisplayFlag(True)
        unpack.setRenderFlag(True)
        thing.layoutChildren()
        made.append(thing)
    camera = hou.node("/obj").createNode("alembicarchive", "skein_camera")
    camera.parm("fileName").set(path)
    camera.parm("objectPath").set("/camera")
    camera.parm("buildHierarchy").pressButton()
    return [*made, camera]
