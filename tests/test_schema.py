#!/usr/bin/python3
"""test_schema.py ROOT: scenes/scene.schema.json is a schema, every scene that ships fits it, and it knows every field that
docs/scene.md names. Of the bad scenes it refuses those that a schema can; the reader refuses all (test_scene.c)."""
import json
import pathlib
import re
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed: skipped")
    sys.exit(77)

# What a schema does not see: names that refer to others, numbers that depend on others, files.
READER_ONLY = {
    "bundle-tight", "camera-inside", "camera-up", "duplicate-name", "duplicate-pair", "event-free-end", "folded",
    "force-beyond", "force-rods", "groom-group", "groom-no-scalp", "groom-sphere", "groom-tie", "force-times", "held-by-dynamic", "keys-backwards",
    "missing-file",
    "normal-along-direction", "start-sag-chain", "thrown-clamp", "time-bounds", "too-many", "tube-same", "tube-thick", "twist-locked",
    "unknown-body", "unknown-group",
    "unknown-material", "unknown-rods", "unlisted-group",
}
NOT_JSON = {"syntax", "duplicate-field"}


def no_duplicates(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("duplicate field")
    return dict(pairs)


def main():
    root = pathlib.Path(sys.argv[1])
    schema = json.loads((root / "scenes/scene.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failed = []

    scenes = sorted(p for p in (root / "scenes").glob("*.json") if p.name != "scene.schema.json")
    for path in scenes:
        for error in validator.iter_errors(json.loads(path.read_text())):
            failed.append(f"{path.name}: {error.json_path}: {error.message}")

    bad = sorted((root / "tests/scenes_bad").glob("*.json"))
    for path in bad:
        try:
            accepted = validator.is_valid(json.loads(path.read_text(), object_pairs_hook=no_duplicates))
        except ValueError:
            if path.stem not in NOT_JSON:
                failed.append(f"{path.name}: not JSON")
            continue
        if accepted != (path.stem in READER_ONLY):
            failed.append(f"{path.name}: the schema {'accepts' if accepted else 'refuses'} it")

    text = (root / "docs/scene.md").read_text()
    known = set(re.findall(r'"([a-zA-Z_$]+)":', json.dumps(schema)))
    for block in re.findall(r"```json\n(.*?)```", text, re.S):
        for error in validator.iter_errors(json.loads(block)):
            failed.append(f"docs/scene.md: {error.json_path}: {error.message}")
    for row in re.findall(r"^\| `([a-z_A-Z]+)` \|", text, re.M):
        if row not in known:
            failed.append(f"docs/scene.md: '{row}' is not in the schema")

    print("\n".join(failed) or f"{len(scenes)} scenes fit the schema, {len(bad)} bad scenes looked at")
    return 1 if failed else 0


sys.exit(main())
