#!/usr/bin/python3
"""The drawings of docs/concepts.md: `draw.py` writes its .svg files beside itself."""
import math
import pathlib

INK, GREY, RED, BLUE, GREEN, SAND = "#222222", "#8c8c8c", "#d1495b", "#1769aa", "#3b8f5a", "#d9b38c"
HERE = pathlib.Path(__file__).parent


class Drawing:
    """Lines, arrows and words on white; lengths in pixels, y down."""

    def __init__(self, name, width, height):
        self.name, self.width, self.height, self.parts = name, width, height, []

    def add(self, text):
        self.parts.append(text)

    def line(self, points, colour=INK, width=2, dash="", fill="none"):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polyline points="{path}" fill="{fill}" stroke="{colour}" stroke-width="{width}" '
                 f'stroke-linecap="round" stroke-linejoin="round" stroke-dasharray="{dash}"/>')

    def circle(self, x, y, r, fill="none", colour=INK, width=1.5):
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{fill}" stroke="{colour}" stroke-width="{width}"/>')

    def area(self, points, fill, opacity=1.0):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polygon points="{path}" fill="{fill}" fill-opacity="{opacity}"/>')

    def arrow(self, x, y, dx, dy, colour=INK, width=2.5, word="", side=(8, -6)):
        length = math.hypot(dx, dy)
        ux, uy = dx / length, dy / length
        tip, head = (x + dx, y + dy), 9
        self.line([(x, y), (tip[0] - 0.7 * head * ux, tip[1] - 0.7 * head * uy)], colour, width)
        self.area([tip, (tip[0] - head * ux - 4.5 * uy, tip[1] - head * uy + 4.5 * ux),
                   (tip[0] - head * ux + 4.5 * uy, tip[1] - head * uy - 4.5 * ux)], colour)
        if word:
            self.text(tip[0] + side[0], tip[1] + side[1], word, colour, bold=True)

    def text(self, x, y, words, colour=INK, size=15, anchor="start", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        for k, row in enumerate(words.split("\n")):
            self.add(f'<text x="{x:.1f}" y="{y + 1.3 * size * k:.1f}" fill="{colour}" font-size="{size}" '
                     f'text-anchor="{anchor}"{weight}>{row}</text>')

    def save(self):
        body = "\n".join(self.parts)
        (HERE / f"{self.name}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" font-family="DejaVu Sans, Helvetica, sans-serif">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')


def contact():
    d = Drawing("contact", 900, 300)
    d.line([(60, 225), (330, 225)], SAND, 70)
    d.line([(60, 225), (330, 225)], GREY, 1.5, "6 5")
    d.circle(195, 95, 38, "#c9dcec", BLUE)
    d.circle(195, 95, 2.5, BLUE, BLUE)
    d.text(240, 80, "rod A (from the end)", BLUE, 14)
    d.text(60, 285, "rod B and its axis", "#8a6a45", 14)
    d.line([(178, 133), (150, 133)], GREY, 1)
    d.line([(178, 190), (150, 190)], GREY, 1)
    d.arrow(160, 161, 0, -28, GREY, 1.5)
    d.arrow(160, 161, 0, 29, GREY, 1.5)
    d.text(88, 166, "gap g", GREY, 15)
    d.arrow(195, 190, 0, -48, GREEN, 2.5, "normal n", (10, 18))
    d.line([(470, 225), (730, 225)], SAND, 70)
    d.circle(600, 152, 38, "#c9dcec", BLUE)
    d.arrow(600, 190, 0, -120, RED, 3, "r_N", (8, 8))
    d.arrow(600, 190, -42, 0, RED, 3, "r_T", (-34, -6))
    d.arrow(600, 190, 80, 0, GREEN, 3, "u_T", (6, 5))
    d.text(470, 285, "impulse r on A (red), velocity u of A against B (green)", INK, 13)
    d.save()


def cone():
    d = Drawing("cone", 900, 330)
    mu, height = 0.5, 150
    for k, (title, law) in enumerate((("take-off", "r = 0,  u_N ≥ 0"), ("stick", "u = 0,  |r_T| ≤ μ r_N"),
                                      ("slide", "|r_T| = μ r_N,  against u_T"))):
        x, y = 150 + 300 * k, 235
        d.area([(x, y), (x - mu * height, y - height), (x + mu * height, y - height)], "#f3c9cf", 0.6)
        d.line([(x - mu * height, y - height), (x, y), (x + mu * height, y - height)], RED, 1.5)
        d.line([(x - 110, y), (x + 110, y)], SAND, 6)
        d.text(x, 38, title, INK, 18, "middle", True)
        d.text(x, 305, law, INK, 15, "middle")
        d.circle(x, y, 4, INK)
        if k == 0:
            d.arrow(x, y, 30, -95, GREEN, 3, "u", (8, 6))
            d.text(x - 60, y + 26, "r = 0", RED, 14, "middle")
        if k == 1:
            d.arrow(x, y, 25, -115, RED, 3, "r", (8, 6))
            d.text(x - 60, y + 26, "u = 0", GREEN, 14, "middle")
        if k == 2:
            d.arrow(x, y, -mu * 118, -118, RED, 3, "r", (-22, 0))
            d.arrow(x, y, 85, 0, GREEN, 3, "u", (2, 24))
    d.save()


def islands():
    d = Drawing("islands", 760, 260)
    groups = ((BLUE, "#c9dcec", [(90, 90), (180, 60), (170, 150), (270, 110), (250, 190)],
               [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 4)]),
              (GREEN, "#cfe6d8", [(430, 80), (500, 150), (410, 180)], [(0, 1), (1, 2)]),
              (GREY, "#ececec", [(620, 90), (690, 150), (620, 190)], [(0, 1), (1, 2), (0, 2)]))
    for colour, fill, places, contacts in groups:
        for a, b in contacts:
            d.line([places[a], places[b]], colour, 2.5)
        for x, y in places:
            d.circle(x, y, 15, fill, colour, 2)
    d.text(180, 240, "an island: 5 objects, 6 contacts", BLUE, 14, "middle")
    d.text(455, 240, "another one", GREEN, 14, "middle")
    d.text(655, 240, "at rest: it sleeps", GREY, 14, "middle")
    d.save()


def curve(t):
    """A strand that hangs and curls: a point for t from 0 to 1."""
    return 60 * math.sin(2.6 * t) * t + 22 * math.sin(7 * t), 190 * t


def models():
    d = Drawing("models", 920, 300)
    names = ("super-helix", "mass-spring", "CoRdE", "discrete elastic rods")
    said = ("pieces of constant\ncurvature and twist", "points, springs;\nno twist", "points, and a frame\nbetween them",
            "points, and an angle\nof twist between them")
    for k, name in enumerate(names):
        x0, y0 = 80 + 225 * k, 30
        fine = [(x0 + curve(j / 120)[0], y0 + curve(j / 120)[1]) for j in range(121)]
        count = 4 if k == 0 else 9
        nodes = [fine[round(120 * j / count)] for j in range(count + 1)]
        if k == 0:
            for j in range(count):
                d.line(fine[round(120 * j / count):round(120 * (j + 1) / count) + 1], (BLUE, RED, GREEN, "#b9770e")[j], 5)
        else:
            d.line(nodes, BLUE, 2, "5 4" if k == 1 else "")
        for x, y in nodes:
            d.circle(x, y, 3 if k == 0 else 4.5, "white" if k else INK, INK)
        for (xa, ya), (xb, yb) in zip(nodes, nodes[1:]):
            xm, ym, length = (xa + xb) / 2, (ya + yb) / 2, math.hypot(xb - xa, yb - ya)
            nx, ny = (yb - ya) / length, -(xb - xa) / length
            if k == 2:
                d.line([(xm, ym), (xm + 15 * nx, ym + 15 * ny)], RED, 2)
                d.line([(xm, ym), (xm + 12 * (xb - xa) / length, ym + 12 * (yb - ya) / length)], GREEN, 2)
            if k == 3:
                d.line([(xm - 9 * nx, ym - 9 * ny), (xm + 9 * nx, ym + 9 * ny)], RED, 2)
        d.text(x0 - 20, 258, name, INK, 15, "start", True)
        d.text(x0 - 20, 277, said[k].split("\n")[0], GREY, 12)
        d.text(x0 - 20, 292, said[k].split("\n")[1], GREY, 12)
    d.save()


def guides():
    d = Drawing("guides", 760, 290)
    for x0, hairs in ((140, False), (500, True)):
        d.area([(x0 - 105, 44), (x0 + 195, 44), (x0 + 195, 14), (x0 - 105, 14)], SAND, 0.8)
        for g in range(4):
            root = x0 - 60 + 70 * g
            for h in range(-4, 5) if hairs else ():
                strand = []
                for j in range(41):
                    t = j / 40
                    dx, dy = curve(t)
                    spread = 8 * h * (1 - 0.65 * t) + 3 * math.sin(5 * t + 2.1 * h) * t
                    strand.append((root + 0.7 * dx + spread, 42 + 1.05 * dy * (1 - 0.03 * abs(h))))
                d.line(strand, "#7a5230", 1)
            d.line([(root + 0.7 * curve(j / 40)[0], 42 + 1.05 * curve(j / 40)[1]) for j in range(41)], BLUE, 3)
    d.text(180, 278, "guides: simulated rods", BLUE, 14, "middle")
    d.text(560, 278, "drawn hairs follow the nearest guides", "#7a5230", 14, "middle")
    d.save()


def step():
    d = Drawing("step", 930, 150)
    boxes = (("free motion", "where everything\nwould go alone"), ("contacts", "what is near\nenough to touch"),
             ("one-step problem", "M, H, f, u_f, μ"), ("solve", "impulses r,\nerror ≤ tolerance"),
             ("move", "new places\nand velocities"))
    for k, (name, said) in enumerate(boxes):
        x = 20 + 180 * k
        d.add(f'<rect x="{x}" y="30" width="158" height="90" rx="8" fill="#eef3f8" stroke="{BLUE}"/>')
        d.text(x + 79, 58, name, INK, 14, "middle", True)
        d.text(x + 79, 82, said, GREY, 12, "middle")
        if k < 4:
            d.arrow(x + 160, 75, 18, 0, BLUE, 2)
    d.save()


def tolerance():
    d = Drawing("tolerance", 760, 260)
    d.arrow(70, 220, 650, 0, INK, 1.5)
    d.arrow(70, 220, 0, -195, INK, 1.5)
    d.text(640, 245, "sweeps", INK, 14)
    d.text(82, 34, "error, logarithmic", INK, 14)
    points = [(70 + 6.1 * k, 50 + 160 * (1 - math.exp(-k / 42)) + 5 * math.sin(k / 2.3) * math.exp(-k / 60))
              for k in range(100)]
    d.line(points, BLUE, 3)
    d.line([(70, 165), (700, 165)], RED, 1.5, "7 5")
    d.text(560, 158, "tolerance", RED, 14)
    hit = next(p for p in points if p[1] >= 165)
    d.circle(*hit, 6, "white", RED, 2.5)
    d.text(hit[0] + 4, 140, "converged: the worst contact of all is below it", INK, 13)
    d.save()


if __name__ == "__main__":
    for draw in (contact, cone, islands, models, guides, step, tolerance):
        draw()
