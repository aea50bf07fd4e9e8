"""Skein in Blender: runs as hair curves and bodies that follow the timeline, grooms as scenes, a button that simulates."""
bl_info = {
    "name": "Skein",
    "author": "Skein",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import, File > Export, the sidebar of the 3D view",
    "description": "Hair and ropes with exact friction: runs as curves that follow the timeline, grooms as scenes",
    "category": "Import-Export",
}

import glob
import importlib
import os
import subprocess
import sys

import bpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

for part in ("archive", "load", "save"):  # another version was installed in a Blender that runs
    if f"{__name__}.{part}" in sys.modules:
        importlib.reload(sys.modules[f"{__name__}.{part}"])

from . import load, save
from .archive import ArchiveError


class SKEIN_preferences(bpy.types.AddonPreferences):
    bl_idname = __name__
    program: StringProperty(name="Program", description="The skein command", default="skein", subtype="FILE_PATH")

    def draw(self, context):
        self.layout.prop(self, "program")


def program():
    given = os.environ.get("SKEIN")  # for scripts
    return given or bpy.path.abspath(bpy.context.preferences.addons[__name__].preferences.program)


def archive_of(path, hairs=0):
    """The archive of a run, beside it; made when it is not there or older."""
    if path.lower().endswith(".abc"):
        return path
    archive = os.path.splitext(path)[0] + (f"_{hairs}" if hairs else "") + ".abc"
    if not os.path.exists(archive) or os.path.getmtime(archive) < os.path.getmtime(path):
        load.export_run(program(), path, archive, hairs)
    return archive


# ---- Import and export ----


class SKEIN_OT_import(bpy.types.Operator, ImportHelper):
    """A run (or its archive) as one Curves object that follows the timeline, with its bodies and camera"""

    bl_idname, bl_label, bl_options = "skein.import_run", "Import Skein run", {"UNDO"}
    filename_ext = ".h5"
    filter_glob: StringProperty(default="*.h5;*.abc", options={"HIDDEN"})
    start: IntProperty(name="Start", description="Frame of the scene at which the run starts", default=1)
    hairs: IntProperty(name="Hairs", description="So many hairs instead of the rods that were simulated; 0: the rods",
                       default=0, min=0, max=1000000)
    timeline: BoolProperty(name="Set the timeline", description="Frame rate and range of the scene become the run's",
                           default=True)

    def execute(self, context):
        try:
            hair, bodies, camera = load.load(archive_of(self.filepath, self.hairs), self.start, self.timeline)
        except ArchiveError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        strands = len(hair.data.curves) if hair else 0
        self.report({"INFO"}, f"{strands} strands, {len(bodies)} bodies" + (", a camera" if camera else ""))
        return {"FINISHED"}


def chosen(context):
    """The hair curves to be simulated, and the mesh that they are on."""
    hair = context.object if context.object and context.object.type == "CURVES" else None
    hair = hair or next((thing for thing in context.selected_objects if thing.type == "CURVES"), None)
    return hair, hair.data.surface if hair else None


class SKEIN_OT_export(bpy.types.Operator, ExportHelper):
    """The selected hair curves and their surface, with its motion in the frames of the scene, as a scene of Skein"""

    bl_idname, bl_label = "skein.export_scene", "Export Skein scene"
    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})
    elements: IntProperty(name="Elements", description="Of each rod", default=8, min=1, max=200)

    @classmethod
    def poll(cls, context):
        return chosen(context)[0] is not None

    def execute(self, context):
        try:
            path = save.save_scene(os.path.dirname(self.filepath), *chosen(context), self.elements)
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, path)
        return {"FINISHED"}


# ---- The simulation ----


class SKEIN_OT_simulate(bpy.types.Operator):
    """Writes the selected hair curves as a scene, runs skein on it and loads the run; Esc stops it"""

    bl_idname, bl_label = "skein.simulate", "Simulate"
    folder: StringProperty(name="Folder", description="For scene and run; empty: beside the file", subtype="DIR_PATH")
    elements: IntProperty(name="Elements", default=8, min=1, max=200)

    @classmethod
    def poll(cls, context):
        return chosen(context)[0] is not None

    def begin(self, context):
        folder = bpy.path.abspath(self.folder or "//skein") if self.folder or bpy.data.filepath else bpy.app.tempdir
        self.hair = chosen(context)[0]
        self.start, self.frames = context.scene.frame_start, context.scene.frame_end - context.scene.frame_start + 1
        path = save.save_scene(folder, *chosen(context), self.elements)
        self.run = os.path.join(folder, "run.h5")
        with open(os.path.join(folder, "log"), "w") as log:
            self.process = subprocess.Popen([program(), "run", path, "-o", self.run, "--overwrite", "--quiet"],
                                            stdout=log, stderr=log)
        self.log = os.path.join(folder, "log")

    def done(self):
        """How many frames there are: each is a file in the folder of the run, until it ends."""
        return len(glob.glob(glob.escape(self.run) + ".d/[0-9]*.h5"))

    def finish(self, context):
        if self.process.returncode:
            with open(self.log) as log:
                lines = log.read().strip().splitlines()
            raise ArchiveError(lines[-1] if lines else f"skein ended with {self.process.returncode}")
        self.hair.hide_set(True)
        self.hair.hide_render = True
        hair, _, _ = load.load(archive_of(self.run), self.start, False)
        return hair

    def execute(self, context):  # in scripts: waits
        try:
            self.begin(context)
            self.process.wait()
            self.finish(context)
        except (OSError, ValueError, ArchiveError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context, event):
        try:
            self.begin(context)
        except (OSError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        context.window_manager.progress_begin(0, self.frames)
        self.timer = context.window_manager.event_timer_add(0.3, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.process.terminate()
            self.process.wait()
            return self.end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        context.window_manager.progress_update(self.done())
        context.workspace.status_text_set(f"Skein: frame {self.done()} of {self.frames}, Esc stops")
        if self.process.poll() is None:
            return {"RUNNING_MODAL"}
        try:
            self.finish(context)
        except (OSError, ArchiveError) as error:
            self.report({"ERROR"}, str(error))
            return self.end(context, {"CANCELLED"})
        return self.end(context, {"FINISHED"})

    def end(self, context, result):
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        return result


class SKEIN_PT_panel(bpy.types.Panel):
    bl_label, bl_idname = "Skein", "SKEIN_PT_panel"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Skein"

    def draw(self, context):
        hair, surface = chosen(context)
        self.layout.operator("skein.import_run")
        self.layout.label(text=f"{hair.name} on {surface.name if surface else 'nothing'}" if hair else "select hair curves")
        self.layout.operator("skein.export_scene")
        self.layout.operator("skein.simulate")


# ---- Registration ----


@persistent
def on_frame(scene, *_):
    load.show_frame(scene)


@persistent
def on_load(*_):
    for scene in bpy.data.scenes:
        load.show_frame(scene)


def in_import(menu, context):
    menu.layout.operator("skein.import_run", text="Skein run (.h5, .abc)")


def in_export(menu, context):
    menu.layout.operator("skein.export_scene", text="Skein scene (.json)")


classes = (SKEIN_preferences, SKEIN_OT_import, SKEIN_OT_export, SKEIN_OT_simulate, SKEIN_PT_panel)


def register():
    for kind in classes:
        bpy.utils.register_class(kind)
    bpy.types.TOPBAR_MT_file_import.append(in_import)
    bpy.types.TOPBAR_MT_file_export.append(in_export)
    bpy.app.handlers.frame_change_pre.append(on_frame)
    bpy.app.handlers.load_post.append(on_load)


def unregister():
    bpy.app.handlers.load_post.remove(on_load)
    bpy.app.handlers.frame_change_pre.remove(on_frame)
    bpy.types.TOPBAR_MT_file_export.remove(in_export)
    bpy.types.TOPBAR_MT_file_import.remove(in_import)
    for kind in reversed(classes):
        bpy.utils.unregister_class(kind)
