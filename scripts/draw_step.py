#!/usr/bin/python3
"""Draws docs/images/step.svg: one step of the world. scripts/draw_step.py > docs/images/step.svg"""

W, H = 940, 330
INK, LINE, STATE, PART, RULE = "#26323b", "#60707c", "#dcebd6", "#d9e6f2", "#f3e3cf"
parts = ["drive", "predict", "find", "assemble", "solve", "move", "look"]
notes = ["held ends, bodies,|loads", "A, b, free|velocities", "pieces, contacts,|impulses", "M, H, f, u_f", "friction", "next.x, next.v",
         "strays, growth,|energies"]
out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {H}" font-family="DejaVu Sans, sans-serif" font-size="13">',
       f'<rect width="{W}" height="{H}" fill="white"/>',
       f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
       f'<path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>']


def box(x, y, w, h, text, fill, note=""):
    out.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" stroke="{LINE}"/>')
    out.append(f'<text x="{x + w / 2}" y="{y + h / 2 + 5}" text-anchor="middle" fill="{INK}">{text}</text>')
    for i, line in enumerate(note.split("|") if note else []):
        out.append(f'<text x="{x + w / 2}" y="{y + h + 16 + 13 * i}" text-anchor="middle" fill="{LINE}" font-size="10.5">{line}</text>')


def arrow(path):
    out.append(f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="1.4" marker-end="url(#tip)"/>')


def label(x, y, text, anchor="middle"):
    out.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{LINE}" font-size="11">{text}</text>')


box(20, 20, 150, 34, "model (const)", STATE)
box(200, 20, 150, 34, "surroundings", STATE)
label(372, 42, "gravity, wind, friction, pulls: changed between steps only", "start")
box(20, 110, 90, 40, "state now", STATE, "const|in an attempt")
step, x = 100, 140
for i, name in enumerate(parts):
    box(x + i * step, 110, 86, 40, name, PART, notes[i])
    arrow(f"M{x + i * step - (30 if i == 0 else 14)} 130h{28 if i == 0 else 12}")
out.append(f'<rect x="128" y="94" width="704" height="100" rx="8" fill="none" stroke="{LINE}" stroke-dasharray="5 4"/>')
label(134, 88, "an attempt: one plan, one arena", "start")
arrow("M832 130h16")
box(850, 110, 78, 40, "decide", RULE, "the table")
arrow("M95 54v54")
label(690, 58, "next plan: search further, ask less, halve, wake")
arrow("M889 110V64H480V92")
label(690, 80, "refused: there is nothing to restore")
arrow("M889 182v60")
label(882, 216, "accept", "end")
box(800, 244, 128, 40, "judge", RULE)
label(864, 300, "only looks: verdict")
arrow("M800 264h-40")
box(650, 244, 108, 40, "state next", STATE)
arrow("M650 264h-60")
label(621, 256, "swap")
box(500, 244, 88, 40, "now", STATE)
out.append("</svg>")
print("\n".join(out))
