// The page: finds its data, builds the picture, the plots and the controls, and keeps them together.
import { Colouring, MODES, withUnit } from "./colours.js";
import { ENDED } from "./format.js";
import { Live } from "./live.js";
import { pick } from "./pick.js";
import { LivePlayer, Player, SPEEDS } from "./player.js";
import { Plots } from "./plots.js";
import { EmbeddedSource, LiveSource } from "./source.js";
import { Stage } from "./stage.js";
import { $, Interface } from "./ui.js";
import { Verdict } from "./verdict.js";

const stored = (key, value) => {
  try {
    if (value !== undefined) localStorage.setItem(`skein-${key}`, value);
    return localStorage.getItem(`skein-${key}`);
  } catch {
    return null; // not allowed in some file:// settings
  }
};

class App {
  constructor(source) {
    this.source = source;
    this.head = source.head;
    this.settings = { bodies: "solid", arrows: false, arrowSize: 0 };
    this.colouring = new Colouring(this.head);
    this.stage = new Stage($("view"), this.head);
    this.player = source.live ? new LivePlayer(source) : new Player(source);
    this.ui = new Interface(this.actions(), source.live);
    this.plots = new Plots($("plots"), this.head.columns, source.live ? null : (t) => this.seek(t));
    if (source.live) this.live = new Live(source, this.stage, this.ui, () => (this.stage.dirty = true));
    else this.prepareTimeline();
    const span = source.live ? null : [this.player.start, this.player.end];
    this.verdict = new Verdict(this.head, source.live, span, (flaw) => this.mark(flaw));
    this.stage.drawOver = () => (this.live ? this.live.draw() : this.verdict.drawRods(this.stage));
    this.describe();
    this.setTheme(stored("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => {
      if (!stored("theme")) this.setTheme(e.matches ? "dark" : "light");
    });
    $("view").addEventListener("dblclick", (e) => this.focus(e));
    this.actions_.thickness(0);
    this.actions_.arrowSize(0);
    this.actions_.arrows(false);
    this.ui.setColour(this.colouring.mode);
    this.taken = 0;
    this.source.start((what, detail) => this.notice(what, detail)).catch((error) => this.ui.message(error.message, "failed"));
    this.clock = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  prepareTimeline() {
    const { start, end, speed } = this.player;
    Object.assign($("time"), { min: start, max: end > start ? end : start + 1e-9, value: start });
    $("speed").value = speed;
    this.plots.span = [start, end > start ? end : start + 1];
    this.ui.setPressed("loop", this.player.loop);
  }

  // What the source says.
  notice(what, detail) {
    if (what === "error") this.ui.message(detail, "failed");
    if (what === "frames") {
      if (this.source.live) this.takeLive(detail);
      else for (const n = this.player.ready; this.taken < n; this.taken++) this.plots.add(this.source.frames[this.taken]);
      if (document.body.classList.contains("loading")) this.ui.message(null, null);
      this.showRods();
    }
    if (what === "state") {
      this.live?.stateChanged();
      if (this.live) this.ui.setPlaying(!this.live.paused);
    }
    this.stage.dirty = this.moved = true;
  }

  takeLive(again) {
    const frame = this.source.frames.at(-1);
    this.player.arrived();
    if (again) this.plots.clear();
    this.plots.add(frame);
    if (this.verdict.take(frame, again) || again) this.askVerdict(again);
    const time = this.plots.steps.columns.time;
    this.plots.span = [time[0] ?? 0, Math.max(frame.time, (time[0] ?? 0) + 1e-3)];
    this.colouring.follow(frame);
  }

  // Names of who was flawed come with the state, once a second at most.
  askVerdict(again) {
    if (again) return this.verdict.update(null);
    if (this.asking) return;
    this.asking = true;
    setTimeout(() => (this.asking = false), 1000);
    this.source.ask().then((state) => this.verdict.update(state.verdict?.last), () => {});
  }

  // Goes to a flaw and shows its objects; null: no longer.
  mark(flaw) {
    const { player } = this;
    this.colouring.marked = this.verdict.rods;
    if (flaw && !this.source.live) {
      player.playing = false;
      this.ui.setPlaying(false);
      this.seek(flaw.time);
    }
    this.restyle();
  }

  describe() {
    const { title, file, source } = this.head;
    const facts = [];
    if (source) {
      const count = (n, what) => `${n.toLocaleString("en")} ${what[n === 1 ? 0 : 1]}`;
      if (source.rods > 0) facts.push(count(source.rods, ["strand", "strands"]));
      else facts.push(count(this.head.bodies.length, ["body", "bodies"]));
      facts.push(`${Number(source.duration.toPrecision(4))} s, ${source.frames} frames, ${source.steps.toLocaleString("en")} steps`);
    } else if (this.source.live) facts.push("live");
    const worth = { within: "within tolerance", flawed: "flawed" }[this.head.verdict?.state];
    if (worth) facts.push(worth);
    this.facts = facts.join(" · ");
    this.ui.setNames(title || file || "Skein", this.facts);
  }

  showRods() {
    const frame = this.source.frames.at(this.source.live ? -1 : 0);
    if (this.rods === frame.rods || !this.source.live) return;
    this.rods = frame.rods;
    $("facts").textContent = `${frame.rods.toLocaleString("en")} strands · live`;
  }

  seek(t) {
    this.player.seek(t);
    this.moved = true;
  }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.colouring.theme = theme;
    this.stage.setTheme(theme === "dark");
    if (!this.source.live) this.verdict.drawMarks();
    this.restyle();
  }

  // Colours of strands and bodies anew.
  restyle() {
    const data = !["material", "group"].includes(this.colouring.mode) || this.colouring.marked?.length > 0;
    this.stage.bodies.style(this.settings.bodies, data ? 0.75 : 0, this.theme === "dark", this.verdict?.bodies ?? new Map());
    this.stage.strands.uniforms.vary.value = data ? 0.4 : 1;
    this.stage.strands.uniforms.flatness.value = data ? 0.6 : 0;
    this.coloured = null;
    if (this.plots) this.plots.stale = true;
    this.stage.dirty = this.stage.shadowStale = this.moved = true;
  }

  focus(e) {
    const box = $("view").getBoundingClientRect();
    const found = pick(this.stage, e.clientX - box.left, e.clientY - box.top, 16);
    if (found) this.stage.focus(found.point);
  }

  tick(now) {
    const seconds = Math.min((now - this.clock) / 1000, 0.1);
    this.clock = now;
    const before = this.player.playing;
    this.player.tick(seconds);
    if (before !== this.player.playing) this.ui.setPlaying(this.player.playing);
    if (this.player.playing || this.moved || this.source.live) this.show();
    this.stage.controls.update();
    if (this.stage.dirty) this.stage.draw();
    this.plots.draw(this.player.time);
    requestAnimationFrame((next) => this.tick(next));
  }

  // Brings picture and readings to the present moment.
  show() {
    const moment = this.player.moment();
    if (!moment) return;
    const { a, b, blend } = moment;
    const now = blend > 0.5 ? b : a;
    if (this.last && this.last.a === a && this.last.b === b && this.last.blend === blend && !this.moved) return;
    this.last = moment;
    this.moved = false;
    this.stage.setMoment(a, b, blend);
    if (this.coloured !== now) {
      const fits = now.points === a.points;
      this.stage.strands.setColours(this.colouring.fill, fits ? now : a);
      this.coloured = now;
      this.scaleArrows(now);
      this.showLegend(now);
    }
    this.showTime(now);
  }

  // A force at the top of the colour scale is a sixth of the scene's radius long, unless the slider says otherwise.
  scaleArrows(frame) {
    this.strongest = Math.max(this.strongest ?? 0, frame?.contactMax ?? 0);
    const top = this.colouring.top.force || this.strongest || 1;
    const length = 0.16 * this.stage.radius * 10 ** (this.settings.arrowSize / 2);
    this.stage.arrows.uniforms.scale.value = length / Math.sqrt(top);
    this.stage.dirty = true;
  }

  showLegend(frame) {
    const size = this.settings.arrows ? withUnit(frame.contactMax, "N") : null;
    this.ui.setLegend(this.colouring.legend(frame), size && `largest ${size}`);
  }

  showTime(frame) {
    const contacts = frame.contactStatus.reduce((n, s) => n + (s > 0 ? 1 : 0), 0);
    const slide = frame.contactStatus.reduce((n, s) => n + (s === 2 ? 1 : 0), 0);
    const text = contacts > 0 ? `<b>${contacts.toLocaleString("en")}</b> contacts, <b>${slide.toLocaleString("en")}</b> slide` : "no contacts";
    this.ui.setText("readout", text + this.verdict.readout());
    const t = this.player.time;
    if (this.source.live) {
      const end = frame.state & ENDED ? " · the end" : "";
      return this.ui.setText("clock", `<b>${t.toFixed(3)} s</b>${end}`);
    }
    $("time").value = t;
    $("time").setAttribute("aria-valuetext", `${t.toFixed(3)} seconds, frame ${frame.index}`);
    const total = ` / ${this.player.end.toFixed(3)}`;
    this.ui.setText("clock", `<b>${t.toFixed(3)}</b><span class="total">${total}</span> s<span class="total"> · frame ${frame.index}</span>`);
  }

  // What buttons and keys do.
  actions() {
    const { player, settings, stage, source } = this;
    const live = () => this.live;
    const moved = () => (this.moved = true);
    this.actions_ = {
      toggle: () => {
        if (source.live) return live().commands.send({ type: live().paused ? "play" : "pause" }, "play");
        player.toggle();
        this.ui.setPlaying(player.playing);
        moved();
      },
      seek: (t) => this.seek(t),
      seekFrame: (i) => moved(player.seekFrame(i)),
      step: (n) => {
        if (source.live) return live().commands.send({ type: "step" });
        player.playing = false;
        this.ui.setPlaying(false);
        player.seekFrame((n < 0 && player.time > player.times[player.index] ? player.index + 1 : player.index) + n);
        moved();
      },
      nextFlaw: () => this.verdict.next(player.time),
      unmark: () => this.verdict.shown && this.verdict.select(null),
      reset: () => live().commands.send({ type: "reset" }),
      speed: (s) => (player.speed = s),
      faster: (n) => {
        const k = Math.min(Math.max(SPEEDS.indexOf(player.speed) + n, 0), SPEEDS.length - 1);
        $("speed").value = player.speed = SPEEDS[k];
      },
      loop: () => this.ui.setPressed("loop", (player.loop = !player.loop)),
      grab: () => this.ui.setPressed("grab", (live().grabbing = !live().grabbing)),
      colour: (mode) => {
        this.colouring.mode = MODES.some((m) => m.name === mode) ? mode : "material";
        this.ui.setColour(this.colouring.mode);
        this.restyle();
      },
      arrows: (on = !settings.arrows) => {
        $("arrows").checked = settings.arrows = on;
        $("arrow-row").style.display = on ? "" : "none";
        stage.arrows.mesh.visible = on;
        stage.arrows.frame = null;
        this.restyle();
      },
      arrowSize: (x) => {
        settings.arrowSize = x;
        this.scaleArrows();
        $("arrow-size-value").textContent = `${(10 ** (x / 2)).toFixed(1)}×`;
      },
      thickness: (x) => {
        stage.strands.uniforms.thickness.value = 2 ** x;
        $("thickness-value").textContent = x === 0 ? "true" : `${(2 ** x).toFixed(1)}×`;
        stage.dirty = stage.shadowStale = true;
      },
      bodies: (mode) => {
        $("bodies").value = settings.bodies = mode;
        this.restyle();
      },
      nextBodies: () => {
        const all = ["solid", "ghost", "hidden"];
        this.actions_.bodies(all[(all.indexOf(settings.bodies) + 1) % 3]);
      },
      shadows: (on = !$("shadows").checked) => {
        $("shadows").checked = on;
        stage.light.shadowOn.value = on ? 1 : 0;
        stage.dirty = stage.shadowStale = true;
      },
      smooth: (on) => moved((player.smooth = on)),
      fit: () => stage.fit(),
      axis: (d) => stage.look(d),
      theme: () => this.setTheme(stored("theme", this.theme === "dark" ? "light" : "dark") ?? (this.theme === "dark" ? "light" : "dark")),
      panel: () => this.ui.setPanel(document.body.classList.contains("no-panel")),
      help: () => $("help").showModal(),
    };
    return this.actions_;
  }
}

function fail(text) {
  document.body.className = "failed";
  $("message-text").textContent = text;
}

function hasWebGL() {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl2"));
  } catch {
    return false;
  }
}

async function open() {
  const run = $("skein-head");
  if (run) return new EmbeddedSource(JSON.parse(run.textContent));
  const live = $("skein-live");
  if (!live) throw new Error("There is no run in this page.");
  return LiveSource.open(JSON.parse(live.textContent).api);
}

async function begin() {
  if (!hasWebGL()) return fail("This browser shows no WebGL 2, which the picture needs. Another browser, or its settings for graphics, may help.");
  if (typeof DecompressionStream === "undefined") return fail("This browser is too old: it has no DecompressionStream.");
  try {
    window.skein = new App(await open());
  } catch (error) {
    fail(`The page cannot be shown: ${error.message}`);
    throw error;
  }
}

begin();
