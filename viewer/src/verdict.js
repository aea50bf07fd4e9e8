// What steps are worth: a summary in the panel, marks on the timeline, and the objects of a flaw shown in the picture.
import * as THREE from "three";
import { MARKED } from "./colours.js";
import { $, html } from "./ui.js";

const NEAR = 7; // pixels, around the pointer
const EDGE = 8; // of the slider: half its thumb
const STAYS = 2000; // ms that a live flaw is shown beside the picture

const steps = (n) => `${n.toLocaleString("en")} ${n === 1 ? "step" : "steps"}`;
const seconds = (t) => (Number.isFinite(t) ? `${Number(t.toPrecision(5))} s` : "?");

// Counts of flawed steps by kind, from the sets that come with frames; as long as the page is open.
export class Tally {
  constructor(names) {
    this.names = names;
    this.clear();
  }
  clear() {
    this.flawed = this.all = 0;
    this.recent = 0; // the flaws of the last steps that had any, and when they came
    this.came = -Infinity;
    this.count = this.names.map(() => 0);
  }
  add(frame, columns) {
    const c = columns.indexOf("flaws");
    let all = 0;
    for (let s = 0; c >= 0 && s < frame.steps; s++) {
      const set = frame.step[s * frame.columns + c];
      this.all++;
      if (!(set > 0)) continue;
      this.flawed++;
      all |= set;
      this.count.forEach((_, k) => (this.count[k] += (set >> k) & 1));
    }
    if (all) [this.recent, this.came] = [all, performance.now()];
  }
}

export class Verdict {
  // show(flaw): go there, and mark its objects.
  constructor(head, live, span, show) {
    Object.assign(this, { head, live, span, show });
    this.names = head.flaws ?? [];
    this.marks = head.verdict?.marks ?? [];
    this.shown = null; // the flaw whose objects are marked
    this.list = $("flaws");
    if (live) {
      this.tally = new Tally(this.names);
      this.update(null);
    } else if (head.verdict) {
      this.summarise(head.verdict);
      this.listen();
      new ResizeObserver(() => this.drawMarks()).observe($("marks"));
    } else $("verdict").hidden = true;
  }

  headline(state, text) {
    $("verdict").dataset.state = state;
    $("verdict-text").textContent = text.replace(/^./, (c) => c.toUpperCase()).replaceAll(" %", "\u00a0%");
  }

  // One line of the list; flaw null: nothing to go to.
  line(colour, name, count, text, flaw) {
    const item = document.createElement("li");
    const body = `<i style="background:${colour}"></i><b>${html(name)}</b><span>${html(count)}</span><small>${html(text)}</small>`;
    const inside = flaw ? document.createElement("button") : document.createElement("div");
    inside.innerHTML = body;
    if (flaw) {
      inside.title = "Go to the worst of them";
      inside.addEventListener("click", () => this.select(flaw));
    }
    item.append(inside);
    this.list.append(item);
  }

  summarise(verdict) {
    this.headline(verdict.state, verdict.text);
    this.list.replaceChildren();
    for (const f of verdict.flaws) {
      const when = f.steps === 1 ? `at ${seconds(f.time)}` : `worst at ${seconds(f.time)}`;
      this.line(`var(--flaw-${f.flaw})`, this.names[f.flaw], steps(f.steps), f.text ? `${when}: ${f.text}` : when, f);
    }
    if (verdict.crossings > 0) this.line("transparent", "crossings", verdict.crossings.toLocaleString("en"), "", null);
    if (verdict.state === "flawed") this.line("transparent", "energy", "", verdict.made, null);
  }

  // ---- Live ----

  take(frame, again) {
    if (again) this.tally.clear(), this.select(null), (this.last = null);
    const before = this.tally.flawed;
    this.tally.add(frame, this.head.columns);
    this.count();
    return this.tally.flawed > before;
  }

  count() {
    const { all, flawed } = this.tally;
    const text = flawed ? `flawed: ${flawed.toLocaleString("en")} of ${steps(all)} seen` : `none of ${steps(all)} seen flawed`;
    this.headline(flawed ? "flawed" : "within", text);
  }

  // What the server says of the last flaw.
  update(last) {
    if (last) this.last = last;
    this.count();
    this.list.replaceChildren();
    this.tally.count.forEach((n, k) => {
      const f = this.last?.flaw === k ? this.last : null;
      if (n > 0) this.line(`var(--flaw-${k})`, this.names[k], steps(n), f ? `last at ${seconds(f.time)}: ${f.text}` : "", f);
    });
  }

  // ---- The timeline of a run ----

  x(t) {
    const [from, to] = this.span;
    return EDGE + ((t - from) / (to - from || 1)) * ($("marks").clientWidth - 2 * EDGE);
  }

  drawMarks() {
    const c = $("marks");
    const inside = this.marks.filter((m) => m.time >= this.span[0] && m.time <= this.span[1]);
    c.hidden = inside.length === 0;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [c.clientWidth, c.clientHeight];
    if (w === 0) return;
    [c.width, c.height] = [w * ratio, h * ratio];
    const g = c.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    g.scale(ratio, ratio);
    const columns = new Map(); // of three pixels: which flaws
    for (const m of inside) {
      const at = Math.round(this.x(m.time) / 3);
      columns.set(at, (columns.get(at) ?? 0) | (1 << m.flaw));
    }
    for (const [at, set] of columns) {
      const kinds = this.names.map((_, k) => k).filter((k) => (set >> k) & 1);
      kinds.forEach((k, i) => {
        g.fillStyle = style.getPropertyValue(`--flaw-${k}`);
        g.fillRect(3 * at - 1, (i * h) / kinds.length, 3, h / kinds.length);
      });
    }
  }

  // Marks near the pointer, the nearest first.
  under(e) {
    const x = e.clientX - $("marks").getBoundingClientRect().left;
    const away = (m) => Math.abs(this.x(m.time) - x);
    return this.marks.filter((m) => away(m) <= NEAR).sort((a, b) => away(a) - away(b));
  }

  listen() {
    const c = $("marks");
    const tip = $("mark-tip");
    c.addEventListener("pointermove", (e) => {
      const found = this.under(e);
      tip.hidden = found.length === 0;
      c.style.cursor = found.length ? "pointer" : "";
      if (tip.hidden) return;
      const lines = found.slice(0, 4).map((m) => {
        const more = m.steps > 1 ? ` <em>(${steps(m.steps)})</em>` : "";
        return `<div><i style="background:var(--flaw-${m.flaw})"></i><b>${this.names[m.flaw]}</b> at ${seconds(m.time)}${more}<br>${html(m.text)}</div>`;
      });
      tip.innerHTML = lines.join("") + (found.length > 4 ? `<div>… ${found.length - 4} more</div>` : "");
      const half = 0.5 * tip.offsetWidth;
      const x = this.x(found[0].time) + c.getBoundingClientRect().left;
      tip.style.left = `${Math.min(Math.max(x, half + 8), innerWidth - half - 8) - half}px`;
      tip.style.bottom = `${innerHeight - c.getBoundingClientRect().top + 14}px`;
    });
    c.addEventListener("pointerleave", () => (tip.hidden = true));
    c.addEventListener("click", (e) => {
      const found = this.under(e)[0];
      if (found) this.select(found);
    });
  }

  // The next mark after a time, around the end.
  next(t) {
    const after = this.marks.filter((m) => m.time >= this.span[0] && m.time <= this.span[1]);
    if (after.length) this.select(after.find((m) => m.time > t + 1e-9) ?? after[0]);
  }

  // ---- The objects of a flaw ----

  select(flaw) {
    this.shown = flaw;
    document.body.classList.toggle("marked", flaw !== null);
    this.show(flaw);
  }

  // What is said of it beside the picture.
  readout() {
    const f = this.shown;
    const dot = (k) => `<i class="dot" style="background:var(--flaw-${k})"></i><b>${this.names[k]}</b>`;
    if (!f && this.tally && performance.now() - this.tally.came < STAYS) {
      return `<br>${this.names.map((_, k) => ((this.tally.recent >> k) & 1 ? dot(k) : "")).filter(Boolean).join(" ")}`;
    }
    return f ? `<br>${dot(f.flaw)} at ${seconds(f.time)}${f.text ? ": " : ""}${html(f.text)} <kbd>Esc</kbd>` : "";
  }

  // Which rods of a frame are marked; hairs are not the rods that steps know.
  get rods() {
    return this.shown && !this.head.hairs ? this.shown.rods : [];
  }
  // Colours of marked bodies, by number.
  get bodies() {
    const first = this.shown?.rods.length ?? 0;
    return new Map((this.shown?.bodies ?? []).map((b, k) => [b, MARKED[Math.min(first + k, 1)]]));
  }

  // Marked rods through whatever is in front of them.
  drawRods(stage) {
    const c = $("overlay");
    const { start } = stage.strands.shape ?? { start: [] };
    const rods = this.rods.filter((r) => r + 1 < start.length);
    c.style.visibility = rods.length ? "" : "hidden";
    if (!rods.length) return;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [c.clientWidth, c.clientHeight];
    [c.width, c.height] = [w * ratio, h * ratio];
    const g = c.getContext("2d");
    g.scale(ratio, ratio);
    g.lineJoin = g.lineCap = "round";
    const p = new THREE.Vector3();
    rods.forEach((r, k) => {
      g.beginPath();
      for (let i = start[r]; i < start[r + 1]; i++) {
        const q = stage.strands.place(i, p).project(stage.camera);
        if (q.z > 1) continue; // behind the camera
        g.lineTo((0.5 + 0.5 * q.x) * w, (0.5 - 0.5 * q.y) * h);
      }
      for (const [style, width, alpha] of [["#ffffff", 5, 0.55], [MARKED[k], 2.2, 0.95]]) {
        [g.strokeStyle, g.lineWidth, g.globalAlpha] = [style, width, alpha];
        g.stroke();
      }
    });
  }
}
