"""The library behind the module: where it is, its structs and functions as ctypes sees them, errors, owned pointers.

Everything here mirrors include/skein; tests/test_python.py compares each size, offset and prototype with it."""
from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import enum
import os
import pathlib
import threading
import weakref
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int64,
                    c_size_t, c_uint, c_uint64, c_void_p)

import numpy

VERSION = "0.1.0"
SONAME = "libskein.so.0"


# ---- Errors ----

class Code(enum.IntEnum):
    """What went wrong, as skein_code says it."""
    OK = 0
    BAD_INPUT = 1
    IO_FAILURE = 2
    NO_MEMORY = 3
    STOPPED = 4


class Error(Exception):
    """The library said no. `code` is a `skein.Code`, `message` one line: file, field and what was expected."""

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = Code(code)
        self.message = message

    def __reduce__(self):
        return Error, (self.code, self.message)


# ---- Structs, in the order of the header ----

class Struct(Structure):
    """A struct of the header; `c_name` is its name there."""
    c_name = ""


def struct(name, *fields):
    """A ctypes struct called `name` in C, of (name, type) pairs."""
    return type(name, (Struct,), {"c_name": name, "_fields_": list(fields)})


c_double_p, c_int_p, c_float_p = POINTER(c_double), POINTER(c_int), POINTER(c_float)

Status = struct("skein_status", ("code", c_int), ("message", c_char * 512))

PoseStruct = struct("skein_pose", ("r", c_double * 3), ("d", (c_double * 3) * 3))

RodDef = struct(
    "skein_rod_def", ("model", c_int), ("elements", c_int), ("twist_locked", c_int), ("length", c_double),
    ("radius1", c_double), ("radius2", c_double), ("E", c_double), ("G", c_double), ("density", c_double),
    ("damping", c_double), ("drag", c_double), ("natural", c_double_p), ("naturals", c_int), ("initial", c_double_p),
    ("initials", c_int), ("root", c_int), ("tip", c_int), ("pose", PoseStruct), ("alignment", c_double),
    ("tip_factor", c_double))

EnvStruct = struct("skein_env", ("gravity", c_double * 3), ("wind", c_double * 3))

RodLoad = struct("skein_rod_load", ("s", c_double), ("force", c_double * 3), ("torque", c_double * 3))

RodHold = struct("skein_rod_hold", ("s", c_double), ("target", PoseStruct), ("stiffness", c_double * 3),
                 ("torsion", c_double))

Manifest = struct("skein_manifest", ("source", c_char_p), ("title", c_char_p), ("folder", c_char_p), ("fps", c_double),
                  ("rods", c_int), ("bodies", c_int), ("name", POINTER(c_char_p)))

StartInfoStruct = struct("skein_start_info", ("rods", c_int), ("fitted", c_int), ("fit_most", c_double),
                         ("fit_mean", c_double), ("share_most", c_double), ("share_mean", c_double),
                         ("fit_worst", c_char_p), ("moved", c_int), ("moved_most", c_double), ("inside", c_int),
                         ("inside_most", c_double), ("inside_worst", c_char_p), ("inside_body", c_char_p),
                         ("guessed", c_char_p), ("guessed_metres", c_double))
WarningStruct = struct("skein_warning", ("field", c_char_p), ("line", c_int), ("value", c_double), ("low", c_double),
                       ("high", c_double), ("unit", c_char_p), ("meant", c_char_p), ("instead", c_double),
                       ("text", c_char_p))
RodEnergyStruct = struct("skein_rod_energy", ("kinetic", c_double), ("elastic", c_double), ("gravity", c_double),
                         ("held", c_double))

RodStepDef = struct("skein_rod_step_def", ("dt", c_double), ("theta", c_double), ("threads", c_int))

RelaxDef = struct("skein_relax_def", ("tol", c_double), ("max_iterations", c_int), ("load_steps", c_int))

RelaxInfoStruct = struct("skein_relax_info", ("converged", c_bool), ("stable", c_bool), ("iterations", c_int),
                         ("load_steps", c_int), ("decrement", c_double))

Csr = struct("skein_csr", ("rows", c_int), ("cols", c_int), ("start", POINTER(c_int64)), ("col", c_int_p),
             ("val", c_double_p))

ProblemStruct = struct(
    "skein_problem", ("form", c_int), ("d", c_int), ("contacts", c_int), ("dofs", c_int), ("mu", c_double_p),
    ("W", Csr), ("b", c_double_p), ("M", Csr), ("H", Csr), ("f", c_double_p), ("u_f", c_double_p))

ProblemInfoStruct = struct(
    "skein_problem_info", ("contacts", c_int), ("dofs", c_int), ("d", c_int), ("objects", c_int), ("islands", c_int),
    ("largest_island", c_int), ("blocks", c_int64), ("nu", c_double), ("mu_min", c_double), ("mu_max", c_double),
    ("diag_min", c_double), ("diag_max", c_double), ("asymmetry", c_double), ("local_cond", c_double),
    ("b_max", c_double), ("w_mean", c_double), ("closing", c_int))

SolutionStruct = struct("skein_solution", ("r", c_double_p), ("u", c_double_p), ("v", c_double_p))

FclibStruct = struct("skein_fclib", ("problem", ProblemStruct), ("guesses", c_int), ("guess", POINTER(SolutionStruct)),
                     ("solution", SolutionStruct), ("title", c_char_p), ("description", c_char_p),
                     ("math_info", c_char_p), ("M_triangle", c_bool))

ErrorStruct = struct("skein_error", ("fb", c_double), ("rel", c_double), ("worst", c_int))

ProgressStruct = struct("skein_progress", ("iteration", c_int), ("seconds", c_double), ("error", ErrorStruct),
                        ("method", c_char_p))
ProgressFn = CFUNCTYPE(c_bool, c_void_p, POINTER(ProgressStruct))

StopFn = CFUNCTYPE(c_bool, c_void_p)
StopStruct = struct("skein_stop", ("ask", StopFn), ("user", c_void_p))

SolveDef = struct(
    "skein_solve_def", ("method", c_int), ("local", c_int), ("failsafe", c_bool), ("tol", c_double), ("measure", c_int),
    ("local_tol", c_double), ("max_sweeps", c_int), ("max_seconds", c_double), ("threads", c_int),
    ("operator_form", c_int), ("accelerate", c_int), ("ball", c_int), ("freeze", c_bool),
    ("warm_start", c_bool), ("look", c_int), ("progress", ProgressFn), ("user", c_void_p), ("stop", StopStruct))

SolveInfoStruct = struct(
    "skein_solve_info", ("converged", c_bool), ("error", ErrorStruct), ("iterations", c_int), ("islands", c_int),
    ("seconds", c_double), ("seconds_setup", c_double), ("threads", c_int), ("method", c_int), ("operator_form", c_int),
    ("local_solves", c_int64), ("local_alternates", c_int64), ("local_failures", c_int64), ("stick", c_int),
    ("slide", c_int), ("open", c_int))

FindingStruct = struct("skein_finding", ("size", c_double), ("a", c_int), ("b", c_int))

VerdictStruct = struct(
    "skein_verdict", ("flaws", c_uint), *((name, FindingStruct) for name in (
        "overlap", "deeper", "curved", "balance", "reach", "speed", "crossed")), ("made", c_double),
    ("turnover", c_double))

AttemptStruct = struct("skein_attempt", ("dt", c_double), ("flaws", c_uint), ("action", c_int), ("sweeps", c_int),
                       ("seconds", c_double))

StepInfoStruct = struct(
    "skein_step_info", ("time", c_double), ("dt", c_double), ("retries", c_int), ("contacts", c_int),
    ("islands", c_int), ("rods_asleep", c_int), ("nu", c_double), ("sweeps", c_int), ("error", c_double),
    ("tol", c_double), ("converged", c_bool), ("stick", c_int), ("slide", c_int), ("open", c_int), ("penetration", c_double),
    ("speed", c_double), ("kinetic", c_double), ("elastic", c_double), ("gravity", c_double), ("work", c_double),
    ("dissipated", c_double), ("dissipated_friction", c_double), ("seconds_rods", c_double),
    ("seconds_collide", c_double), ("seconds_assemble", c_double), ("seconds_solve", c_double),
    ("seconds_other", c_double), ("seconds_loop", c_double), ("memory", c_double), ("rods", c_int),
    ("verdict", VerdictStruct), ("attempts", c_int), ("attempt", AttemptStruct * 24))

FrameStruct = struct(
    "skein_frame", ("index", c_int), ("time", c_double), ("dt", c_double), ("rods", c_int), ("points", c_int),
    ("point_start", c_int_p), ("point", c_float_p), ("radius", c_float_p), ("rod_group", c_int_p),
    ("rod_source", c_int_p), ("bodies", c_int), ("body_pose", c_double_p), ("contacts", c_int),
    ("contact_object", c_int_p), ("contact_s", c_double_p), ("contact_point", c_double_p),
    ("contact_normal", c_double_p), ("contact_impulse", c_double_p), ("contact_gap", c_double_p),
    ("contact_status", POINTER(ctypes.c_byte)), ("surfaces", c_int), ("surface_vertices", c_int),
    ("surface_body", c_int_p), ("surface_start", c_int_p), ("surface_vertex", c_float_p))

MeasureFn = CFUNCTYPE(c_bool, c_void_p, c_int, c_int)
MeasureDef = struct("skein_measure_def", ("reach", c_double), ("share", c_double), ("hold", c_double),
                    ("slip", c_double), ("cell", c_double), ("outer", c_double), ("progress", MeasureFn),
                    ("user", c_void_p))

ClumpsStruct = struct("skein_clumps", ("clumps", c_int), ("singles", c_int), ("largest", c_int), ("pairs", c_int),
                      ("mean", c_double), ("of_rod", c_double))

VolumeStruct = struct("skein_volume", ("occupied", c_double), ("envelope", c_double), ("spread", c_double))

MotionStruct = struct("skein_motion", ("root_speed", c_double), ("speed", c_double), ("fastest", c_double),
                      ("shift", c_double))

RubStruct = struct("skein_rub", ("contacts", c_int), ("status", c_int), ("slip", c_double), ("force", c_double))

RestStruct = struct("skein_rest", ("from", c_double), ("to", c_double), ("speed", c_double), ("kinetic", c_double),
                    ("speed_end", c_double), ("contacts_changed", c_double))

MeasureRowStruct = struct(
    "skein_measure_row", ("time", c_double), ("motion", MotionStruct), ("clumps", ClumpsStruct),
    ("volume", VolumeStruct), ("contacts", c_double), ("stick", c_double), ("slide", c_double), ("open", c_double),
    ("kinetic", c_double), ("dissipated", c_double), ("friction", c_double))

MeasuresStruct = struct(
    "skein_measures", ("frames", c_int), ("rods", c_int), ("row", POINTER(MeasureRowStruct)), ("strand", c_int),
    ("rub", POINTER(RubStruct)), ("rest", RestStruct), ("shift", c_double))

LookBodyStruct = struct(
    "skein_look_body", ("name", c_char_p), ("group", c_char_p), ("vertices", c_int), ("triangles", c_int),
    ("vertex", c_float_p), ("normal", c_float_p), ("triangle", c_int_p), ("uv", c_float_p), ("colour", c_float * 3),
    ("endless", c_bool), ("moves", c_bool), ("deforms", c_bool))

CameraStruct = struct("skein_look_camera", ("given", c_bool), ("eye", c_double * 3), ("target", c_double * 3),
                      ("up", c_double * 3), ("fov", c_double))

LegendEntry = struct("skein_legend_entry", ("name", c_char_p), ("colour", c_float * 3))

HairlikeDef = struct("skein_hairlike_def", ("rods", c_int), ("contacts", c_int), ("dofs_per_rod", c_int),
                     ("mu", c_double), ("seed", c_uint64))

ManufacturedDef = struct("skein_manufactured_def", ("d", c_int), ("objects", c_int), ("contacts", c_int),
                         ("dofs_per_object", c_int), ("mu", c_double), ("open", c_double), ("stick", c_double),
                         ("seed", c_uint64))

STRUCTS = [kind for kind in list(globals().values()) if isinstance(kind, type) and issubclass(kind, Struct)
           and kind is not Struct]


# ---- Functions: what they return and take. Opaque pointers are void pointers. ----

_problem_p, _solution_p, _frame_p, _pose_p = map(POINTER, (ProblemStruct, SolutionStruct, FrameStruct, PoseStruct))
_env_p, _steps_p, _out = POINTER(EnvStruct), POINTER(StepInfoStruct), POINTER(c_void_p)

FUNCTIONS = {
    "skein_version": (c_char_p, []),
    "skein_rod_model_name": (c_char_p, [c_int]),
    "skein_rod_model_about": (c_char_p, [c_int]),
    "skein_rod_model_find": (c_int, [c_char_p]),
    "skein_rod_model_twists": (c_bool, [c_int]),
    "skein_default_pose": (PoseStruct, []),
    "skein_default_rod_def": (RodDef, []),
    "skein_rod_def_check": (Status, [POINTER(RodDef)]),
    "skein_default_env": (EnvStruct, []),
    "skein_rod_create": (Status, [POINTER(RodDef), _out]),
    "skein_rod_destroy": (None, [c_void_p]),
    "skein_rod_dofs": (c_int, [c_void_p]),
    "skein_rod_definition": (RodDef, [c_void_p]),
    "skein_rod_state_size": (c_int, [c_void_p]),
    "skein_rod_state": (None, [c_void_p, c_double_p, c_double_p]),
    "skein_rod_set_state": (Status, [c_void_p, c_double_p, c_double_p]),
    "skein_rod_displace": (Status, [c_void_p, c_double_p]),
    "skein_rod_set_loads": (Status, [c_void_p, POINTER(RodLoad), c_int]),
    "skein_rod_set_holds": (Status, [c_void_p, POINTER(RodHold), c_int]),
    "skein_rod_drive": (Status, [c_void_p, _pose_p, _pose_p]),
    "skein_rod_point": (None, [c_void_p, c_double, _pose_p]),
    "skein_rod_velocity": (None, [c_void_p, c_double, c_double_p]),
    "skein_rod_jacobian": (None, [c_void_p, c_double, c_double_p, c_double_p]),
    "skein_rod_spin_jacobian": (None, [c_void_p, c_double, c_double_p]),
    "skein_rod_energies": (Status, [c_void_p, _env_p, POINTER(RodEnergyStruct)]),
    "skein_default_rod_step_def": (RodStepDef, []),
    "skein_rods_step": (Status, [_out, c_int, _env_p, POINTER(RodStepDef)]),
    "skein_default_relax_def": (RelaxDef, []),
    "skein_rod_relax": (Status, [c_void_p, _env_p, POINTER(RelaxDef), POINTER(RelaxInfoStruct)]),
    "skein_rod_modes": (Status, [c_void_p, _env_p, c_int, c_double_p, c_double_p]),
    "skein_problem_check": (Status, [_problem_p]),
    "skein_problem_reduce": (Status, [_problem_p, _problem_p]),
    "skein_problem_destroy": (None, [_problem_p]),
    "skein_problem_describe": (Status, [_problem_p, POINTER(ProblemInfoStruct)]),
    "skein_solution_create": (Status, [_problem_p, _solution_p]),
    "skein_solution_destroy": (None, [_solution_p]),
    "skein_fclib_read": (Status, [c_char_p, POINTER(FclibStruct)]),
    "skein_fclib_write": (Status, [c_char_p, POINTER(FclibStruct)]),
    "skein_fclib_save_solution": (Status, [c_char_p, _problem_p, _solution_p]),
    "skein_fclib_destroy": (None, [POINTER(FclibStruct)]),
    "skein_problem_error": (Status, [_problem_p, c_double_p, POINTER(ErrorStruct), c_double_p, c_double_p]),
    "skein_method_name": (c_char_p, [c_int]),
    "skein_local_name": (c_char_p, [c_int]),
    "skein_method_about": (c_char_p, [c_int]),
    "skein_local_about": (c_char_p, [c_int]),
    "skein_method_find": (c_int, [c_char_p]),
    "skein_local_find": (c_int, [c_char_p]),
    "skein_default_solve_def": (SolveDef, []),
    "skein_solve": (Status, [_problem_p, POINTER(SolveDef), _solution_p, POINTER(SolveInfoStruct)]),
    "skein_solver_create": (c_void_p, []),
    "skein_solver_destroy": (None, [c_void_p]),
    "skein_solver_solve": (Status, [c_void_p, _problem_p, POINTER(SolveDef), _solution_p, POINTER(SolveInfoStruct)]),
    "skein_solve_batch": (Status, [c_int, _problem_p, POINTER(SolveDef), _solution_p, POINTER(SolveInfoStruct)]),
    "skein_solve_one": (Status, [c_int, c_double_p, c_double_p, c_double, c_int, c_bool, c_double, c_double_p,
                                 POINTER(c_bool)]),
    "skein_scene_read": (Status, [c_char_p, POINTER(c_char_p), c_int, _out]),
    "skein_scene_parse": (Status, [c_char_p, c_char_p, c_char_p, POINTER(c_char_p), c_int, _out]),
    "skein_scene_destroy": (None, [c_void_p]),
    "skein_scene_source": (c_char_p, [c_void_p]),
    "skein_scene_title": (c_char_p, [c_void_p]),
    "skein_scene_duration": (c_double, [c_void_p]),
    "skein_scene_fps": (c_double, [c_void_p]),
    "skein_scene_every_step": (c_bool, [c_void_p]),
    "skein_scene_manifest": (Manifest, [c_void_p]),
    "skein_scene_start": (StartInfoStruct, [c_void_p]),
    "skein_scene_warnings": (POINTER(WarningStruct), [c_void_p, POINTER(c_int)]),
    "skein_scene_rods": (c_int, [c_void_p]),
    "skein_scene_bodies": (c_int, [c_void_p]),
    "skein_scene_name": (c_char_p, [c_void_p, c_int]),
    "skein_flaw_name": (c_char_p, [c_int]),
    "skein_action_name": (c_char_p, [c_int]),
    "skein_world_create": (Status, [c_void_p, c_int, _out]),
    "skein_world_destroy": (None, [c_void_p]),
    "skein_world_time": (c_double, [c_void_p]),
    "skein_world_step": (Status, [c_void_p, c_double, _steps_p]),
    "skein_world_problem": (_problem_p, [c_void_p]),
    "skein_world_solution": (_solution_p, [c_void_p]),
    "skein_world_guess": (c_double_p, [c_void_p]),
    "skein_world_rods": (c_int, [c_void_p]),
    "skein_world_rod": (c_void_p, [c_void_p, c_int]),
    "skein_world_bodies": (c_int, [c_void_p]),
    "skein_world_body": (None, [c_void_p, c_int, c_double_p, c_double_p, c_double_p, c_double_p]),
    "skein_world_name": (c_char_p, [c_void_p, c_int]),
    "skein_world_set_pull": (Status, [c_void_p, c_int, c_double, c_double_p, c_double]),
    "skein_world_env": (EnvStruct, [c_void_p]),
    "skein_world_set_gravity": (Status, [c_void_p, c_double_p]),
    "skein_world_set_wind": (Status, [c_void_p, c_double_p]),
    "skein_world_mu": (Status, [c_void_p, c_int, c_int, c_double_p]),
    "skein_world_set_mu": (Status, [c_void_p, c_int, c_int, c_double]),
    "skein_world_save": (Status, [c_void_p, _out, POINTER(c_size_t)]),
    "skein_world_load": (Status, [c_void_p, c_void_p, c_size_t]),
    "skein_world_frame": (Status, [c_void_p, c_int, _frame_p]),
    "skein_frame_destroy": (None, [_frame_p]),
    "skein_run_create": (Status, [c_char_p, POINTER(Manifest), _out]),
    "skein_run_open": (Status, [c_char_p, c_bool, _out]),
    "skein_run_close": (None, [c_void_p]),
    "skein_run_append": (Status, [c_void_p, _frame_p, _steps_p, c_int, c_void_p, c_size_t]),
    "skein_run_checkpoint": (Status, [c_void_p, _steps_p, c_int, c_void_p, c_size_t]),
    "skein_run_finish": (Status, [c_void_p]),
    "skein_run_frames": (c_int, [c_void_p]),
    "skein_run_fps": (c_double, [c_void_p]),
    "skein_run_title": (c_char_p, [c_void_p]),
    "skein_run_source": (c_char_p, [c_void_p]),
    "skein_run_version": (c_char_p, [c_void_p]),
    "skein_run_folder": (c_char_p, [c_void_p]),
    "skein_run_state": (Status, [c_void_p, _out, POINTER(c_size_t), POINTER(_steps_p), POINTER(c_int)]),
    "skein_run_frame": (Status, [c_void_p, c_int, _frame_p]),
    "skein_run_name": (c_char_p, [c_void_p, c_int, c_int]),
    "skein_run_steps": (Status, [c_void_p, POINTER(_steps_p), POINTER(c_int)]),
    "skein_default_measure_def": (MeasureDef, []),
    "skein_measure_clumps": (Status, [_frame_p, _frame_p, POINTER(MeasureDef), c_int_p, POINTER(ClumpsStruct)]),
    "skein_measure_volume": (Status, [_frame_p, c_double, POINTER(VolumeStruct)]),
    "skein_measure_motion": (Status, [_frame_p, _frame_p, POINTER(MotionStruct)]),
    "skein_measure_rubs": (Status, [_frame_p, _frame_p, c_double, POINTER(RubStruct)]),
    "skein_measure_rest": (RestStruct, [_steps_p, c_int, c_double]),
    "skein_measure_run": (Status, [c_void_p, POINTER(MeasureDef), POINTER(MeasuresStruct)]),
    "skein_measures_destroy": (None, [POINTER(MeasuresStruct)]),
    "skein_look_create": (Status, [c_void_p, _out]),
    "skein_look_destroy": (None, [c_void_p]),
    "skein_look_bodies": (c_int, [c_void_p]),
    "skein_look_body_at": (POINTER(LookBodyStruct), [c_void_p, c_int]),
    "skein_look_surface": (None, [c_void_p, _frame_p, c_int, c_float_p, c_float_p]),
    "skein_look_root_uv": (c_bool, [c_void_p, _frame_p, c_int, c_float_p]),
    "skein_look_groups": (c_int, [c_void_p]),
    "skein_look_group_name": (c_char_p, [c_void_p, c_int]),
    "skein_look_materials": (c_int, [c_void_p]),
    "skein_look_material_name": (c_char_p, [c_void_p, c_int]),
    "skein_look_rod_colour": (None, [c_void_p, _frame_p, c_int, c_float_p]),
    "skein_look_camera_of": (CameraStruct, [c_void_p]),
    "skein_look_bounds": (c_bool, [c_void_p, _frame_p, c_double_p, c_double_p]),
    "skein_colour_name": (c_char_p, [c_int]),
    "skein_colour_find": (c_int, [c_char_p]),
    "skein_colour_about": (c_char_p, [c_int]),
    "skein_colour_unit": (c_char_p, [c_int]),
    "skein_colour_ramp": (None, [c_double, c_float_p]),
    "skein_look_values": (Status, [c_void_p, c_int, _frame_p, _frame_p, c_float_p]),
    "skein_look_colours": (Status, [c_void_p, c_int, _frame_p, _frame_p, c_double_p, c_double_p, c_float_p]),
    "skein_look_legend": (c_bool, [c_void_p, c_int, c_int, POINTER(LegendEntry)]),
    "skein_default_hairlike_def": (HairlikeDef, []),
    "skein_make_hairlike": (Status, [POINTER(HairlikeDef), _problem_p]),
    "skein_default_manufactured_def": (ManufacturedDef, []),
    "skein_make_manufactured": (Status, [POINTER(ManufacturedDef), _problem_p, _solution_p]),
}


# ---- Loading ----

def _candidates():
    """Where the library may be: SKEIN_LIBRARY alone if it is set; an installed or built tree; where ldconfig looks."""
    named = os.environ.get("SKEIN_LIBRARY")
    if named:
        yield named
        return
    here = pathlib.Path(__file__).resolve().parent
    # inside a wheel; PREFIX/lib/python3.x/dist-packages/skein; python/skein beside build/
    for folder in [here, *here.parents][:5]:
        for place in [folder, *sorted(folder.glob("*-linux-gnu*")), folder / "build" / "release"]:
            if (place / SONAME).exists():
                yield str(place / SONAME)
    yield SONAME
    found = ctypes.util.find_library("skein")
    if found:
        yield found


def _load():
    """The library, with every prototype set and its version checked: structs are mirrored, so it must be the same."""
    missed = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            missed.append(str(error))
            continue
        break
    else:
        raise ImportError("libskein is not found: set SKEIN_LIBRARY to its path (" + "; ".join(missed) + ")")
    try:
        library.skein_version.restype = c_char_p
        found = library.skein_version().decode()
        if found != VERSION:
            raise ImportError(f"{path}: is version {found}, the module is of version {VERSION}")
        for name, (restype, argtypes) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = restype, argtypes
    except AttributeError as error:
        raise ImportError(f"{path}: is not the libskein of this module: {error}") from None
    return library, path


lib, library_path = _load()
_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [c_void_p], None

# HDF5 keeps global state and Debian's is built without locks: one call of ours at a time, whatever the object.
hdf5 = threading.RLock()


def check(status: Status) -> None:
    """Nothing when the status is fine, else skein.Error."""
    if status.code != Code.OK:
        raise Error(status.code, status.message.decode(errors="replace"))


# ---- Owned pointers ----

class Handle:
    """One opaque pointer and what it needs to stay alive; destroyed once, when the last one who holds it lets go."""

    def __init__(self, pointer, destroy, keep=()):
        self.pointer = pointer
        self.lock = threading.RLock()
        self.destroy = weakref.finalize(self, Handle._destroy, os.getpid(), destroy, pointer, keep)

    @staticmethod
    def _destroy(process, destroy, pointer, keep):
        if process == os.getpid():  # a forked child has a copy: files and folders are its parent's to close
            destroy(pointer)
        del keep  # not before: a world looks at its scene to the end


class Owner:
    """What has a Handle: closed by close(), by `with`, or when nobody refers to it any more. Safe to use from several
    threads: calls on one object wait for each other."""
    _handle: Handle | None = None

    @contextlib.contextmanager
    def _use(self):
        handle = self._handle
        if handle is None:
            raise ValueError(f"the {type(self).__name__} is closed")
        with handle.lock:
            if self._handle is None:
                raise ValueError(f"the {type(self).__name__} is closed")
            yield handle.pointer

    def close(self) -> None:
        """Lets go of the memory (and file); using it afterwards raises ValueError. Closing twice is fine."""
        handle = self._handle
        if handle is not None:
            with handle.lock:
                self._handle = None
                self._release(handle)

    def _release(self, handle):
        """What close does at once."""
        handle.destroy()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle is None

    def __enter__(self):
        if self._handle is None:
            raise ValueError(f"the {type(self).__name__} is closed")
        return self

    def __exit__(self, *_):
        self.close()


def create(function, *arguments, destroy, keep=()) -> Handle:
    """The Handle of what a create function makes: the pointer is its last argument."""
    out = c_void_p()
    check(function(*arguments, ctypes.byref(out)))
    return Handle(out.value, destroy, keep)


# ---- Arrays in, arrays out ----

def array(value, dtype, shape, name):
    """`value` as an aligned, C-contiguous array of dtype and shape (None: any length); a copy only where it must be."""
    dtype = numpy.dtype(dtype)
    try:
        raw = numpy.asarray(value)
        if raw.size and (raw.dtype.kind == "c" or (raw.dtype.kind == "f" and dtype.kind in "iu")):
            raise TypeError(f"got {raw.dtype.name}")
        result = numpy.require(raw, dtype, ["C", "A"])
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: expected an array of {dtype.name}: {error}") from None
    if dtype.kind in "iu" and raw.size and (result != raw).any():
        raise ValueError(f"{name}: a number does not fit {dtype.name}")
    if result.ndim != len(shape) or any(b not in (None, a) for a, b in zip(result.shape, shape)):
        wanted = " x ".join("n" if n is None else str(n) for n in shape) or "a single number"
        raise ValueError(f"{name}: has shape {result.shape}, expected {wanted}")
    return result


def pointer(values, kind):
    """A C pointer into an array; the caller keeps the array alive."""
    return None if values is None else values.ctypes.data_as(POINTER(kind))


def copied(address, count, dtype, cols=0):
    """A new array from `count` rows (of `cols` numbers) at a C pointer; an empty one when the pointer is NULL."""
    shape = (count, cols) if cols else (count,)
    result = numpy.empty(shape, dtype)
    if result.size:
        ctypes.memmove(result.ctypes.data, address, result.nbytes)
    return result


def free(address) -> None:
    """free() of what the library allocated for its caller."""
    _free(ctypes.cast(address, c_void_p))


def path_bytes(path) -> bytes:
    """A path for C; a NUL inside it is refused."""
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError("path: has a NUL inside")
    return raw


def text_bytes(text: str, name: str) -> bytes:
    """UTF-8 for C; a NUL inside it is refused."""
    if not isinstance(text, str):
        raise TypeError(f"{name}: expected a str, got {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{name}: has a NUL inside")
    return text.encode()


def integer(value, name, low=-2**31, high=2**31 - 1) -> int:
    """A whole number that fits; ctypes itself would cut bits off."""
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{name}: expected a whole number, got {value!r}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} is {number}, expected {low} to {high}")
    return number


_process = os.getpid()


def threads(value) -> int:
    """A number of threads; one in a forked child, where OpenMP would wait for threads that the fork has not copied. The
    bits are the same."""
    number = integer(value, "threads")
    return number if os.getpid() == _process else 1


def real(value, name) -> float:
    """A number; NaN is left to the library."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, got {value!r}") from None


def choice(value, names, name) -> int:
    """The place of a word among names."""
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{name} is {value!r}, expected one of {', '.join(names)}")
    return list(names).index(value)


def record(kind, source):
    """The NamedTuple `kind` of a struct with fields of the same names."""
    return kind(**{name: getattr(source, name) for name in kind._fields})
