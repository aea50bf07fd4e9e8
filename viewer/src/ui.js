// Buttons, keys, legend and panel. It knows the page; what happens is up to the actions it is given.
import { MODES } from "./colours.js";
import { SPEEDS } from "./player.js";

export const $ = (id) => document.getElementById(id);
const icon = (button, name) => button.querySelector("use").setAttribute("href", `#i-${name}`);
export const html = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// key(s), what for, action name, arguments; live: only there, run: only there.
const KEYS = [
  { keys: [" ", "k"], show: "Space", text: "play, pause", act: "toggle" },
  { keys: ["ArrowRight"], show: "→", text: "one frame on", act: "step", with: [1] },
  { keys: ["ArrowLeft"], show: "←", text: "one frame back", act: "step", with: [-1], run: true },
  { keys: ["Home"], show: "Home", text: "to the start", act: "seekFrame", with: [0], run: true },
  { keys: ["End"], show: "End", text: "to the end", act: "seekFrame", with: [Infinity], run: true },
  { keys: ["["], show: "[", text: "slower", act: "faster", with: [-1], run: true },
  { keys: ["]"], show: "]", text: "faster", act: "faster", with: [1], run: true },
  { keys: ["n"], show: "N", text: "next flaw", act: "nextFlaw", run: true },
  { keys: ["Escape"], show: "Esc", text: "nothing marked", act: "unmark" },
  { keys: ["l"], show: "L", text: "repeat", act: "loop", run: true },
  { keys: ["r"], show: "R", text: "start again", act: "reset", live: true },
  { keys: ["g"], show: "G", text: "grab strands, or only turn the view", act: "grab", live: true },
  ...MODES.map((m) => ({ keys: [m.key], act: "colour", with: [m.name] })),
  { keys: [], show: "1 – 6", text: "colour by material, group, speed, status, force, island" },
  { keys: ["c"], show: "C", text: "contact forces", act: "arrows" },
  { keys: ["b"], show: "B", text: "bodies solid, see-through, hidden", act: "nextBodies" },
  { keys: ["s"], show: "S", text: "shadows", act: "shadows" },
  { keys: ["f"], show: "F", text: "fit the view", act: "fit" },
  { keys: ["x"], show: "X", text: "look along x; Y and Z likewise", act: "axis", with: [[1, 0, 0]] },
  { keys: ["y"], act: "axis", with: [[0, -1, 0]] },
  { keys: ["z"], act: "axis", with: [[0, -1e-3, 1]] },
  { keys: ["d"], show: "D", text: "light, dark", act: "theme" },
  { keys: ["p"], show: "P", text: "panel", act: "panel" },
  { keys: ["?"], show: "?", text: "this list", act: "help" },
];

export class Interface {
  constructor(actions, live) {
    this.actions = actions;
    this.live = live;
    document.body.classList.toggle("live", live);
    this.keys = KEYS.filter((k) => (live ? !k.run : !k.live));
    this.makeColours();
    this.makeSpeeds();
    this.makeHelp();
    this.connect();
    this.tabs();
    document.addEventListener("keydown", (e) => this.key(e));
    if (innerWidth <= 760) this.setPanel(false);
  }

  makeColours() {
    for (const mode of MODES) {
      const b = document.createElement("button");
      b.textContent = mode.label;
      b.title = `${mode.label} (${mode.key})`;
      b.dataset.mode = mode.name;
      b.setAttribute("role", "radio");
      b.addEventListener("click", () => this.actions.colour(mode.name));
      $("colours").append(b);
    }
    $("colours").addEventListener("keydown", (e) => {
      const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
      if (!move) return;
      e.preventDefault();
      e.stopPropagation();
      const all = [...$("colours").children];
      const next = all[(all.indexOf(document.activeElement) + move + all.length) % all.length];
      next.focus();
      this.actions.colour(next.dataset.mode);
    });
  }

  makeSpeeds() {
    for (const s of SPEEDS) $("speed").append(new Option(`${s}×`, s));
  }

  makeHelp() {
    $("keys").innerHTML = this.keys
      .filter((k) => k.show)
      .map((k) => `<dt><kbd>${k.show}</kbd></dt><dd>${k.text}</dd>`)
      .join("");
  }

  connect() {
    const a = this.actions;
    const click = (id, act) => $(id).addEventListener("click", act);
    click("play", () => a.toggle());
    click("first", () => a.seekFrame(0));
    click("step", () => a.step(1));
    click("reset", () => a.reset());
    click("loop", () => a.loop());
    click("grab", () => a.grab());
    click("fit", () => a.fit());
    click("theme", () => a.theme());
    click("panel-toggle", () => a.panel());
    click("help-open", () => a.help());
    $("time").addEventListener("input", (e) => a.seek(Number(e.target.value)));
    $("speed").addEventListener("change", (e) => a.speed(Number(e.target.value)));
    $("arrows").addEventListener("change", () => a.arrows($("arrows").checked));
    $("shadows").addEventListener("change", () => a.shadows($("shadows").checked));
    $("smooth").addEventListener("change", () => a.smooth($("smooth").checked));
    $("bodies").addEventListener("change", (e) => a.bodies(e.target.value));
    $("arrow-size").addEventListener("input", (e) => a.arrowSize(Number(e.target.value)));
    $("thickness").addEventListener("input", (e) => a.thickness(Number(e.target.value)));
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || $("help").open) return;
    const tag = e.target.tagName;
    const typing = tag === "SELECT" || (tag === "INPUT" && e.target.id !== "time");
    const press = (tag === "BUTTON" || e.target.type === "checkbox") && (e.key === " " || e.key === "Enter");
    if (press || (typing && (e.key.startsWith("Arrow") || e.key === "Home" || e.key === "End" || tag === "SELECT"))) return;
    const found = this.keys.find((k) => k.keys.includes(e.key.length === 1 ? e.key.toLowerCase() : e.key));
    if (!found) return;
    e.preventDefault();
    const args = found.with ?? [];
    this.actions[found.act](...(found.act === "step" && e.shiftKey ? args.map((x) => 10 * x) : args));
  }

  tabs() {
    const names = this.live ? ["live", "look", "stats"] : ["look", "stats"];
    const show = (name) => {
      for (const n of names) {
        $(n).classList.toggle("shown", n === name);
        $(`tab-${n}`).setAttribute("aria-selected", n === name);
      }
    };
    for (const n of names) $(`tab-${n}`).addEventListener("click", () => show(n));
    show(names[0]);
  }

  setPanel(open) {
    document.body.classList.toggle("no-panel", !open);
    $("panel-toggle").setAttribute("aria-expanded", open);
    $("panel-toggle").setAttribute("aria-pressed", open);
  }

  setPlaying(playing) {
    icon($("play"), playing ? "pause" : "play");
    $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  setColour(mode) {
    for (const b of $("colours").children) {
      const on = b.dataset.mode === mode;
      b.setAttribute("aria-checked", on);
      b.tabIndex = on ? 0 : -1;
    }
  }

  setPressed(id, on) {
    $(id).setAttribute("aria-pressed", on);
  }

  // Text that changes often is set only when it differs.
  setText(id, markup) {
    const e = $(id);
    if (e.dataset.now === markup) return;
    e.dataset.now = markup;
    e.innerHTML = markup;
  }

  setNames(title, facts) {
    document.title = `${title} · Skein`;
    $("title").textContent = $("title").title = title;
    $("facts").textContent = facts;
  }

  setLegend(legend, arrows) {
    const list = (entries) =>
      `<ul>${entries.map(([c, t]) => `<li><i style="background:${c}"></i>${html(t)}</li>`).join("")}</ul>`;
    let body = `<div class="name">${legend.name}</div>`;
    if (legend.entries?.length === 0) body = "";
    else if (legend.ramp) {
      body += `<div class="ramp" style="background:${legend.ramp}"></div>`;
      body += `<div class="ticks">${legend.ticks.map((t) => `<span>${t}</span>`).join("")}</div>`;
    } else body += list(legend.entries);
    if (arrows) {
      const entries = [["var(--stick)", "sticks"], ["var(--slide)", "slides"]];
      body += `<div class="${body && "second"}"><div class="name">Contact force · ${arrows}</div>${list(entries)}</div>`;
    }
    this.setText("legend", body);
  }

  message(text, kind) {
    document.body.classList.remove("loading", "failed");
    if (kind) document.body.classList.add(kind);
    $("message-text").textContent = text ?? "";
  }
}
