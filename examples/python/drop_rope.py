"""A rope falls over a ball. Tells where it comes to lie, and draws drop_rope.png when matplotlib is there."""
import skein

scene = {
    "title": "A rope falls over a ball",
    "materials": {"rope": {"preset": "rope", "radius": 0.004, "E": 2e6}},
    "rods": [{"name": "rope", "model": "der", "elements": 24, "material": "rope", "length": 0.4,
              "root": {"type": "free", "position": [-0.17, 0, 0.13], "direction": [1, 0, 0]}}],
    "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.06}, "position": [0, 0, 0.06]},
               {"name": "floor", "shape": {"type": "plane"}}],
    "friction": 0.4,
    "time": {"duration": 0.3, "dt": 0.002},
}

with skein.World(scene) as world:
    shapes = [(world.time, world.points()[0])]
    for k in range(1, 7):
        world.run(0.05 * k)
        shapes.append((world.time, world.points()[0]))
    frame = world.frame()

print("time     lowest     highest")
for time, points in shapes:
    print(f"{time:.2f} s  {1e3 * points[:, 2].min():6.1f} mm  {1e3 * points[:, 2].max():6.1f} mm")
stick, slide = (frame.contact_status == 1).sum(), (frame.contact_status == 2).sum()
print(f"{frame.contacts} contacts, {stick} stick, {slide} slide")

try:
    import matplotlib.pyplot as plot
except ImportError:
    print("no picture: python3-matplotlib is not installed")
else:
    figure, axes = plot.subplots(figsize=(8, 3.2))
    axes.add_patch(plot.Circle((0, 60), 60, color="#d9d4cc"))
    axes.axhline(0, color="#8a8378")
    for time, points in shapes:
        shade = plot.cm.Blues(0.3 + 0.7 * time / shapes[-1][0])
        axes.plot(1e3 * points[:, 0], 1e3 * points[:, 2], color=shade, lw=2.5, label=f"{time:.2f} s")
    axes.set(aspect="equal", xlabel="x (mm)", ylabel="z (mm)", ylim=(-8, 140), title=scene["title"])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig("drop_rope.png", dpi=150, bbox_inches="tight")
    print("drop_rope.png")
