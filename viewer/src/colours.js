// What a strand's colour means: the modes, their scales and legends.

export const MODES = [
  { name: "material", label: "Material", key: "1" },
  { name: "group", label: "Group", key: "2" },
  { name: "speed", label: "Speed", key: "3", unit: "m/s" },
  { name: "status", label: "Status", key: "4" },
  { name: "force", label: "Force", key: "5", unit: "N" },
  { name: "island", label: "Island", key: "6" },
];

const parse = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
const hex = (c) => "#" + c.map((x) => Math.round(x).toString(16).padStart(2, "0")).join("");

// Ramps from low to high; the low end stays visible on the background of the theme.
const RAMPS = {
  speed: {
    light: ["#33415e", "#2a63b0", "#1c98b5", "#3dbd7d", "#b9cf3a", "#f7b21c", "#e2571d"],
    dark: ["#5f6f9c", "#4688e0", "#25b0c9", "#4fd08c", "#cbe04a", "#ffc53a", "#ff7a3c"],
  },
  force: {
    light: ["#9aa3ad", "#6d7fb8", "#7a4fb5", "#b23a9a", "#e0405c", "#f28a2b", "#fbd24a"],
    dark: ["#76818d", "#7385d6", "#8d5fd0", "#cc4fb0", "#f2566c", "#ff9d42", "#ffe27a"],
  },
};
const NAMED = ["#2f7fd6", "#ee8833", "#3aa76d", "#c94f7c", "#8a63d2", "#b58a2a", "#3fb0b8", "#d2533c", "#7c8b9a", "#9bb53c"];
export const MARKED = ["#e5126f", "#f59e0b"]; // the two objects of a flaw
const NOTHING = { light: "#8b939d", dark: "#5d6772" };
const STATUS = { light: ["#1f6fd0", "#e3740f"], dark: ["#5aa5ff", "#ff9a3d"] };

function ramp(stops, t) {
  const x = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(x), stops.length - 2);
  const [a, b] = [parse(stops[k]), parse(stops[k + 1])];
  return a.map((v, i) => v + (x - k) * (b[i] - v));
}

// A number with a prefix: 0.0021 N -> "2.1 mN".
export function withUnit(x, unit) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size === 0) return `0 ${unit}`;
  const steps = [["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9], ["p", 1e-12]];
  if (unit === "") return short(x);
  if (size >= 1000) return `${short(x / 1000)} k${unit}`;
  const [prefix, factor] = steps.find(([, f]) => size >= 0.9995 * f) ?? steps.at(-1);
  return `${short(x / factor)} ${prefix}${unit}`;
}

// Three digits.
export function short(x) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return x.toExponential(1).replace("e-", "e−").replace("e+", "e");
  if (size >= 100) return x.toFixed(0);
  return String(Number(x.toPrecision(3)));
}

const islandColour = (n) => {
  // Neighbouring numbers far apart on the circle of hues.
  const hue = (n * 137.508) % 360;
  const [s, l] = [0.58, 0.52 + 0.1 * ((n * 7) % 3 - 1)];
  const f = (k) => {
    const m = (k + hue / 30) % 12;
    return 255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(m - 3, 9 - m, 1)));
  };
  return [f(0), f(8), f(4)];
};

export class Colouring {
  constructor(head) {
    this.head = head;
    this.mode = "material";
    this.theme = "light";
    this.top = { speed: head.scale?.speed || 0, force: head.scale?.force || 0 };
    this.fixed = { speed: this.top.speed > 0, force: this.top.force > 0 };
  }

  // Live: the scale follows what comes, slowly downwards. True when the legend changes.
  follow(frame) {
    let changed = false;
    for (const [name, high] of [["speed", frame.speedHigh], ["force", frame.forceHigh]]) {
      if (this.fixed[name] || !(high > 0)) continue;
      if (high > this.top[name] || high < 0.25 * this.top[name]) {
        this.top[name] = high > this.top[name] ? 1.1 * high : 0.8 * this.top[name];
        changed = changed || name === this.mode;
      }
    }
    return changed;
  }

  // RGBA of every point of a frame.
  fill = (frame, out) => {
    this.fillAll(frame, out);
    if (this.marked?.length) this.fillMarked(frame, out);
  };

  // Marked rods in colours of their own, all others pale.
  fillMarked(frame, out) {
    const { start } = frame.shape;
    const pale = parse(NOTHING[this.theme]);
    for (let i = 0; i < frame.points; i++) for (let k = 0; k < 3; k++) out[4 * i + k] = 0.25 * out[4 * i + k] + 0.75 * pale[k];
    this.marked.forEach((r, k) => {
      if (r < frame.rods) for (let i = start[r]; i < start[r + 1]; i++) out.set([...parse(MARKED[k]), 255], 4 * i);
    });
  }

  fillAll(frame, out) {
    if (this.mode === "material" || this.mode === "group") this.fillRods(frame, out);
    else {
      const table = this.table(frame);
      const q = frame[this.mode];
      for (let i = 0; i < frame.points; i++) out.set(table[q[i]], 4 * i);
    }
  }

  fillRods(frame, out) {
    const { start, group, colour } = frame.shape;
    for (let r = 0; r < frame.rods; r++) {
      const c = this.mode === "group" ? [...this.groupColour(group[r]), 255] : colour.subarray(4 * r, 4 * r + 4);
      for (let i = start[r]; i < start[r + 1]; i++) out.set(c, 4 * i);
    }
  }

  // The colour of each of the 256 packed values.
  table(frame) {
    const nothing = parse(NOTHING[this.theme]);
    const colour = {
      status: (q) => (q === 0 ? nothing : parse(STATUS[this.theme][q === 1 ? 0 : 1])),
      island: (q) => (q === 0 ? nothing : islandColour(q)),
      speed: (q) => this.onRamp("speed", frame.speedMax, q),
      force: (q) => this.onRamp("force", frame.forceMax, q),
    }[this.mode];
    return Array.from({ length: 256 }, (_, q) => [...colour(q), 255]);
  }

  onRamp(name, largest, q) {
    const share = this.top[name] > 0 ? (largest * (q / 255) ** 2) / this.top[name] : 0;
    return ramp(RAMPS[name][this.theme], name === "force" ? Math.sqrt(share) : share);
  }

  groupColour(g) {
    return parse(NAMED[((g % NAMED.length) + NAMED.length) % NAMED.length]);
  }

  // {name, ramp: css, ticks} or {name, entries: [[css, text]]} for the frame shown.
  legend(frame) {
    const mode = MODES.find((m) => m.name === this.mode);
    if (RAMPS[this.mode]) {
      const top = this.top[this.mode];
      // Few contacts carry most of the load: forces by their square root.
      const ticks = [0, this.mode === "force" ? 0.25 : 0.5, 1].map((t) => withUnit(t * top, mode.unit));
      ticks[2] = "≥ " + ticks[2];
      return { name: mode.label, ramp: `linear-gradient(90deg, ${RAMPS[this.mode][this.theme].join(", ")})`, ticks };
    }
    return { name: mode.label, entries: this.entries(frame) };
  }

  entries(frame) {
    if (this.mode === "status") {
      const [stick, slide] = STATUS[this.theme];
      return [[stick, "sticks"], [slide, "slides"], [NOTHING[this.theme], "no contact"]];
    }
    if (this.mode === "island") {
      const seen = [...new Set(frame.island)].filter((n) => n > 0).sort((a, b) => a - b);
      const some = seen.slice(0, 4).map((n) => [hex(islandColour(n)), ""]);
      if (seen.length > 0) some.push(["transparent", seen.length === 1 ? "one island" : `${seen.length} islands`]);
      return [...some, [NOTHING[this.theme], "touches nothing"]];
    }
    return this.rodEntries(frame);
  }

  rodEntries(frame) {
    const seen = new Map();
    for (let r = 0; r < frame.rods; r++) {
      if (this.mode === "group") {
        const g = frame.shape.group[r];
        if (!seen.has(g)) seen.set(g, [hex(this.groupColour(g)), this.head.groups[g] ?? `group ${g}`]);
      } else {
        const c = hex([...frame.shape.colour.subarray(4 * r, 4 * r + 3)]);
        const m = frame.shape.material[r];
        const key = m >= 0 ? m : c;
        if (!seen.has(key)) seen.set(key, [c, this.head.materials?.[m]?.name ?? "strands"]);
      }
    }
    const all = [...seen.values()];
    return all.length > 8 ? [...all.slice(0, 7), ["transparent", `… ${all.length}`]] : all;
  }
}
