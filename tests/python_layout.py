"""Reads the headers of include/skein and compares them with what python/skein/_lib.py mirrors: names and order of the
fields, sizes and offsets as the compiler has them, arguments of every function. What the module does not have is only
named."""
import ctypes
import os
import re
import subprocess
import sys


def note(missing):
    """Says what the module cannot do yet."""
    for name in sorted(missing):
        print(f"note: {name} is not in the Python module", file=sys.stderr)


def front_door(include):
    """The public headers as one text, in the order in which skein.h includes them."""
    names = re.findall(r"#include <(skein/\w+\.h)>", (include / "skein/skein.h").read_text())
    return "\n".join(re.sub(r"#include <skein/.*", "", (include / name).read_text()) for name in names)


def bare(header):
    """The header without comments and preprocessor lines."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    return re.sub(r"^#.*$", " ", text, flags=re.M)


def structs(header):
    """Of every struct with a body: its fields in order."""
    found = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", bare(header), re.S):
        fields = []
        for line in filter(str.strip, re.sub(r"\(\*(\w+)\)\(.*?\)", r"\1", body).split(";")):  # a function by its name
            fields += [re.sub(r"\[.*", "", part).split()[-1].lstrip("*") for part in line.split(",")]
        found[name] = fields
    return found


def functions(header):
    """Of every exported function: what it returns, and its arguments."""
    found = {}
    for result, name, arguments in re.findall(r"SKEIN_API (.*?)(skein_\w+)\((.*?)\);", bare(header), re.S):
        arguments = [" ".join(a.split()) for a in arguments.split(",")]
        found[name] = (" ".join(result.split()), [] if arguments == ["void"] else arguments)
    return found


def kind_in_c(text):
    """A class of types that go the same way through a call: by the look of a C declaration."""
    if "*" in text or "[" in text:
        return "pointer"
    return [word for word in text.split() if word != "const"][0]


def kind_in_python(kind, enums):
    """The same class of a ctypes type; an enum of C is an int here."""
    if kind is None:
        return {"void"}
    if kind in (ctypes.c_char_p, ctypes.c_void_p) or issubclass(kind, (ctypes._Pointer, ctypes._CFuncPtr)):
        return {"pointer"}
    if issubclass(kind, ctypes.Structure):
        return {kind.c_name}
    if kind is ctypes.c_int:
        return {"int"} | enums
    return {ctypes.c_double: {"double"}, ctypes.c_float: {"float"}, ctypes.c_bool: {"bool"},
            ctypes.c_size_t: {"size_t"}}[kind]


def compare_functions(header, mirrored):
    """What differs, as lines."""
    enums = set(re.findall(r"typedef enum (skein_\w+)", header))
    found, wrong = functions(header), []
    note(set(found) - set(mirrored))
    wrong += [f"{name} is not in the header" for name in sorted(set(mirrored) - set(found))]
    for name in sorted(set(found) & set(mirrored)):
        result, arguments = found[name]
        types, expected = [mirrored[name][0], *mirrored[name][1]], [result, *arguments]
        if len(types) != len(expected):
            wrong.append(f"{name} takes {len(arguments)} arguments, the module says {len(types) - 1}")
        for kind, text in zip(types, expected):
            if kind_in_c(text) not in kind_in_python(kind, enums):
                wrong.append(f"{name}: '{text}' is {kind} in the module")
    return wrong


def compare_structs(header, mirrored, include, folder):
    """What differs, as lines; sizes and offsets are those that a compiled program prints."""
    found, wrong = structs(header), []
    ours = {kind.c_name: kind for kind in mirrored}
    note(set(found) - set(ours))
    wrong += [f"struct {name} is not in the header" for name in sorted(set(ours) - set(found))]
    lines, expected = [], []
    for name in sorted(set(found) & set(ours)):
        fields = [field for field, _ in ours[name]._fields_]
        if fields != found[name]:
            wrong.append(f"struct {name} has {found[name]}, the module {fields}")
            continue
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(ours[name])}")
        for field in fields:
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                         f'sizeof((({name} *)0)->{field}));')
            place = getattr(ours[name], field)
            expected.append(f"{name}.{field} {place.offset} {place.size}")
    source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
    with open(source, "w") as file:
        file.write("#include <skein/skein.h>\n#include <stdio.h>\nint main(void)\n{\n")
        file.write("\n".join(lines) + "\nreturn 0;\n}\n")
    clean = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    subprocess.run(["cc", "-I", include, source, "-o", program], check=True, env=clean)
    printed = subprocess.run([program], check=True, capture_output=True, text=True, env=clean).stdout.split("\n")
    wrong += [f"C says {a}, the module {b}" for a, b in zip(printed, expected) if a != b]
    return wrong
