// Statistics of the steps over time: small plots with a line at the present time; a click or a drag sets it.
import { short, withUnit } from "./colours.js";

const PLOTS = [
  {
    title: "Contacts",
    unit: "",
    zero: true,
    series: [
      { name: "all", column: "contacts", colour: "--soft" },
      { name: "stick", column: "stick", colour: "--stick" },
      { name: "slide", column: "slide", colour: "--slide" },
    ],
  },
  { title: "Error", unit: "", log: true, series: [{ name: "relative", column: "error", colour: "--plot-a" }] },
  { title: "Sweeps", unit: "", zero: true, series: [{ name: "most", column: "sweeps", colour: "--plot-a" }] },
  {
    title: "Energy",
    unit: "J",
    series: [
      { name: "kinetic", column: "kinetic", colour: "--plot-a" },
      { name: "elastic", column: "elastic", colour: "--plot-b" },
      { name: "weight", column: "gravity", colour: "--plot-c", fromStart: true },
      { name: "lost", column: "dissipated", colour: "--plot-d", sum: true },
    ],
  },
  { title: "Step", unit: "s", log: true, series: [{ name: "dt", column: "dt", colour: "--plot-a" }] },
  { title: "Largest speed", unit: "m/s", zero: true, series: [{ name: "", column: "speed", colour: "--plot-a" }] },
];

const LEFT = 54;
const ROOM = 4096; // of the arrays, at first

// Columns that grow; sums and differences are kept ready to draw.
export class Steps {
  constructor(names) {
    this.names = names;
    this.clear();
  }
  clear() {
    this.count = 0;
    this.room = ROOM;
    this.columns = Object.fromEntries(this.names.map((n) => [n, new Float64Array(ROOM)]));
  }
  add(frame) {
    const k = this.names.length;
    for (let s = 0; s < frame.steps; s++) {
      if (this.count === this.room) this.grow();
      for (let c = 0; c < k; c++) this.columns[this.names[c]][this.count] = frame.step[s * k + c];
      this.count++;
    }
  }
  grow() {
    this.room *= 2;
    for (const n of this.names) {
      const next = new Float64Array(this.room);
      next.set(this.columns[n]);
      this.columns[n] = next;
    }
  }
  // The last step that ended by time t; -1: none.
  at(t) {
    const time = this.columns.time;
    let [lo, hi] = [-1, this.count - 1];
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (time[mid] <= t * (1 + 1e-6) + 1e-9) lo = mid;
      else hi = mid - 1;
    }
    return lo;
  }
}

class Plot {
  constructor(def, parent, onSeek) {
    this.def = def;
    this.figure = document.createElement("figure");
    this.figure.className = "plot";
    const caption = document.createElement("figcaption");
    caption.append(Object.assign(document.createElement("b"), { textContent: def.title }));
    this.labels = def.series.map((s) => caption.appendChild(document.createElement("span")));
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${def.title} over time`);
    this.figure.append(caption, this.canvas);
    parent.append(this.figure);
    this.still = document.createElement("canvas");
    if (onSeek) this.listen(onSeek);
  }

  listen(onSeek) {
    const seek = (e) => {
      const box = this.canvas.getBoundingClientRect();
      const x = (e.clientX - box.left - LEFT) / Math.max(box.width - LEFT - 4, 1);
      onSeek(Math.min(Math.max(x, 0), 1));
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      seek(e);
    });
    this.canvas.addEventListener("pointermove", (e) => e.buttons && seek(e));
  }

  values(steps) {
    return this.def.series.map((s) => {
      const raw = steps.columns[s.column];
      if (!raw) return null;
      if (s.fromStart) return raw.subarray(0, steps.count).map((x) => x - raw[0]);
      let sum = 0;
      if (s.sum) return raw.subarray(0, steps.count).map((x) => (sum += x));
      return raw.subarray(0, steps.count);
    });
  }

  range(all) {
    let [lo, hi] = [Infinity, -Infinity];
    for (const v of all) {
      for (const x of v ?? []) {
        if (!Number.isFinite(x) || (this.def.log && x <= 0)) continue;
        if (x < lo) lo = x;
        if (x > hi) hi = x;
      }
    }
    if (lo > hi) return [0, 1];
    if (this.def.zero) [lo, hi] = [0, hi || 1];
    if (this.def.log) return [Math.max(lo, 1e-8 * hi) / 1.5, hi * 1.5];
    const pad = hi > lo ? 0.06 * (hi - lo) : Math.max(Math.abs(hi), 1) * 0.5;
    return [this.def.zero ? 0 : lo - pad, hi + pad];
  }

  // Everything but the line of the present time.
  prepare(steps, span, colour) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (w === 0) return false;
    for (const c of [this.canvas, this.still]) [c.width, c.height] = [w * ratio, h * ratio];
    this.all = this.values(steps);
    const [lo, hi] = this.range(this.all);
    const f = this.def.log ? Math.log10 : (x) => x;
    const y = (x) => h - 3 - (Math.max(f(x) - f(lo), 0) / (f(hi) - f(lo) || 1)) * (h - 8);
    this.x = (t) => LEFT + ((t - span[0]) / (span[1] - span[0] || 1)) * (w - LEFT - 4);
    const g = this.still.getContext("2d");
    g.scale(ratio, ratio);
    g.strokeStyle = colour("--line");
    g.fillStyle = colour("--soft");
    g.font = "10.5px system-ui, sans-serif";
    g.textAlign = "right";
    for (const [value, at] of [[lo, h - 3], [hi, 10]]) {
      g.fillText(this.def.unit ? withUnit(value, this.def.unit) : short(value), LEFT - 6, at);
    }
    g.beginPath();
    for (const at of [3, h / 2, h - 3]) g.moveTo(LEFT, Math.round(at) + 0.5), g.lineTo(w - 4, Math.round(at) + 0.5);
    g.stroke();
    g.lineJoin = "round";
    g.lineWidth = 1.4;
    this.all.forEach((v, k) => v && this.curve(g, v, steps.columns.time, y, colour(this.def.series[k].colour)));
    return true;
  }

  // One pixel column holds its lowest and highest value, however many steps fall on it.
  curve(g, v, time, y, colour) {
    g.strokeStyle = colour;
    g.beginPath();
    let [column, open, lo, hi, last] = [-1, false, 0, 0, 0];
    const flush = () => {
      if (column < 0) return;
      if (open) g.lineTo(column, y(lo));
      else g.moveTo(column, y(lo));
      if (hi !== lo) g.lineTo(column, y(hi));
      g.lineTo(column, y(last));
      open = true;
    };
    for (let i = 0; i < v.length; i++) {
      if (!Number.isFinite(v[i]) || (this.def.log && v[i] <= 0)) {
        flush(); // a gap
        [column, open] = [-1, false];
        continue;
      }
      const x = Math.round(2 * this.x(time[i])) / 2;
      if (x !== column) {
        flush();
        [column, lo, hi] = [x, v[i], v[i]];
      }
      [lo, hi, last] = [Math.min(lo, v[i]), Math.max(hi, v[i]), v[i]];
    }
    flush();
    g.stroke();
  }

  draw(steps, t, colour) {
    const g = this.canvas.getContext("2d");
    const ratio = this.canvas.width / Math.max(this.canvas.clientWidth, 1);
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.still, 0, 0);
    g.fillStyle = colour("--text");
    g.fillRect(Math.round(this.x(t) * ratio) - 0.5 * ratio, 0, ratio, this.canvas.height);
    const i = steps.at(t);
    this.def.series.forEach((s, k) => {
      const value = i >= 0 && this.all[k] ? this.all[k][i] : NaN;
      const text = `${s.name} ${this.def.unit ? withUnit(value, this.def.unit) : short(value)}`;
      if (this.labels[k].textContent !== text) this.labels[k].textContent = text;
      this.labels[k].style.color = colour(s.colour);
    });
  }
}

export class Plots {
  constructor(parent, columns, onSeek) {
    this.parent = parent;
    this.steps = new Steps(columns);
    this.span = [0, 1];
    this.stale = true;
    this.plots = PLOTS.filter((p) => p.series.some((s) => columns.includes(s.column))).map(
      (p) => new Plot(p, parent, onSeek && ((x) => onSeek(this.span[0] + x * (this.span[1] - this.span[0])))),
    );
    new ResizeObserver(() => (this.stale = true)).observe(parent);
  }

  add(frame) {
    this.steps.add(frame);
    this.stale = true;
  }

  clear() {
    this.steps.clear();
    this.stale = true;
  }

  // Draws what changed.
  draw(t) {
    if (this.parent.offsetParent === null || (!this.stale && t === this.shown)) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name);
    if (this.stale && !this.plots.every((p) => p.prepare(this.steps, this.span, colour))) return;
    this.stale = false;
    this.shown = t;
    for (const p of this.plots) p.draw(this.steps, t, colour);
  }
}
