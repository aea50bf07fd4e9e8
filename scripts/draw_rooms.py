#!/usr/bin/python3
"""draw_rooms.py [ROOT]: the rooms of the library as a picture (SVG), by the skein_room lines of CMakeLists.txt. An arrow is
left out where others lead there; what all know, or almost all, lies underneath."""
import pathlib
import re
import sys

GROUND = ("base", "math")
PLACE = {  # middle of each box
    "export": (785, 160), "hairs": (690, 240), "look": (600, 320), "world": (330, 250),
    "scene": (330, 400), "friction": (570, 420), "measure": (870, 420), "collide": (95, 500), "rod": (330, 500),
    "output": (775, 520), "body": (130, 610), "sparse": (420, 610), "frame": (680, 610)}
WHAT = {
    "body": "shapes, meshes", "sparse": "matrices, factors", "frame": "plain data, words",
    "collide": "what may touch", "rod": "one rod", "friction": "law and solvers", "output": "run files",
    "scene": "what exists", "measure": "what a run shows", "world": "steps", "look": "meshes, colours",
    "hairs": "many from few", "export": "other formats"}
WIDTH, TALL, HALF, HIGH = 960, 730, 68, 22
SHOWN = ("output", "measure", "look", "hairs", "export")


def rooms(root):
    """Of each room: those that it names."""
    text = (root / "CMakeLists.txt").read_text()
    found = {}
    for name, rest in re.findall(r"^skein_room\((\w+)([^)]*)\)", text, re.M):
        names = re.search(r"DEPENDS ([a-z ]+)", rest)
        found[name] = names.group(1).split() if names else []
    return found


def below(room, all_rooms):
    """All that can be reached from a room."""
    return set(all_rooms[room]).union(*(below(next_room, all_rooms) for next_room in all_rooms[room]))


def arrows(all_rooms):
    for room, names in all_rooms.items():
        for name in names:
            others = set().union(*(below(other, all_rooms) for other in names if other != name))
            if name not in GROUND and name not in others:
                yield room, name


def box(x, y, width, high, kind, name, what):
    text = f'<rect class="{kind}" x="{x - width / 2:g}" y="{y - high / 2:g}" width="{width}" height="{high}" rx="6"/>\n'
    text += f'<text class="name" x="{x:g}" y="{y - 3 if what else y + 5:g}">{name}</text>\n'
    return text + (f'<text x="{x:g}" y="{y + 14:g}">{what}</text>\n' if what else "")


def arrow(room, name):
    """From the lower edge of a box to the upper edge of another, at each a little towards the other."""
    (xa, ya), (xb, yb) = PLACE[room], PLACE[name]
    lean = max(-46, min(46, (xb - xa) / 4))
    return f'<path d="M{xa + lean:g} {ya + HIGH} L{xb - lean:g} {yb - HIGH - 2}"/>\n'


def picture(all_rooms):
    missing = set(all_rooms) ^ (set(PLACE) | set(GROUND))
    assert not missing, f"no place for {missing}"
    out = f'''<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TALL}" font-family="DejaVu Sans, sans-serif" font-size="11">
<title>The rooms of Skein and which knows which</title>
<style>text {{ text-anchor: middle; fill: #333 }} .name {{ font-size: 14px; font-weight: bold; fill: #111 }}
path {{ fill: none; stroke: #667; stroke-width: 1.4; marker-end: url(#tip) }} rect {{ stroke-width: 1.2 }}
.ground {{ fill: #e8e8ea; stroke: #99a }} .moves {{ fill: #dbe8f8; stroke: #5b86bd }} .shown {{ fill: #ddf0dd; stroke: #5d9a5d }}
.front {{ fill: #fbeacb; stroke: #c08a2b }} .outside {{ fill: #fff; stroke: #888 }}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z"
style="fill:#667;stroke:none;marker-end:none"/></marker></defs>
<rect x="0" y="0" width="{WIDTH}" height="{TALL}" fill="#fff"/>
'''
    for k, name in enumerate(("tool", "render", "viewer", "python")):
        out += box(180 + 200 * k, 34, 150, 30, "outside", name, "")
    out += box(WIDTH / 2, 90, WIDTH - 40, 34, "front", "include/skein: the front door", "")
    out += "".join(arrow(*pair) for pair in arrows(all_rooms))
    for name, (x, y) in PLACE.items():
        out += box(x, y, 2 * HALF, 2 * HIGH, "shown" if name in SHOWN else "moves", name, WHAT[name])
    out += box(300, 695, 560, 44, "ground", "base", "status, memory, clock, random numbers")
    return out + box(770, 695, 340, 44, "ground", "math", "vectors, quadrature") + "</svg>\n"


if __name__ == "__main__":
    print(picture(rooms(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))), end="")
