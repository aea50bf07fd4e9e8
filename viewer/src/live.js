// What only the live page has: commands to the simulation, sliders of the world, pulling strands.
import * as THREE from "three";
import { FAILED, PAUSED } from "./format.js";
import { onPlane, pick } from "./pick.js";
import { $ } from "./ui.js";

const REACH = { mouse: 14, pen: 18, touch: 26 }; // pixels

// Sends the newest of each kind of command; while one is under way, later ones of its kind wait and replace each other.
class Commands {
  constructor(source, onError) {
    this.source = source;
    this.onError = onError;
    this.waiting = new Map();
    this.busy = false;
  }
  send(command, kind = command.type) {
    this.waiting.delete(kind);
    this.waiting.set(kind, command);
    if (!this.busy) this.run();
  }
  async run() {
    this.busy = true;
    while (this.waiting.size > 0) {
      const [kind, command] = this.waiting.entries().next().value;
      this.waiting.delete(kind);
      try {
        await this.source.command(command);
        this.onError(null);
      } catch (error) {
        this.onError(error.message);
      }
    }
    this.busy = false;
  }
}

export class Live {
  constructor(source, stage, ui, onChange) {
    Object.assign(this, { source, stage, ui, onChange });
    this.commands = new Commands(source, (text) => (text ? ui.message(text, "failed") : this.unfail()));
    this.held = null; // {rod, s, i, u, target}
    this.grabbing = true;
    this.overlay = $("overlay");
    this.makeSliders(source.head.controls ?? {});
    this.listen();
  }

  unfail() {
    if (!(this.source.frames.at(-1)?.state & FAILED)) this.ui.message(null, null);
  }

  get paused() {
    return Boolean((this.source.frames.at(-1)?.state ?? 0) & PAUSED);
  }

  makeSliders({ mu, gravity = [0, 0, -9.81], wind = [0, 0, 0] }) {
    const pull = new THREE.Vector3(...gravity);
    const most = Math.max(pull.length(), 1);
    const down = pull.length() > 0 ? pull.clone().normalize() : this.stage.up.clone().negate();
    const air = new THREE.Vector3(...wind);
    const degrees = (Math.atan2(air.dot(this.stage.ahead), air.dot(this.stage.right)) * 180) / Math.PI;
    const set = (id, value, text, send) => {
      $(id).value = value;
      $(`${id}-value`).textContent = text(Number($(id).value));
      $(id).addEventListener("input", () => {
        $(`${id}-value`).textContent = text(Number($(id).value));
        send();
      });
    };
    const number = (id) => Number($(id).value);
    const sendWind = () => {
      const a = (number("wind-from") * Math.PI) / 180;
      const v = new THREE.Vector3()
        .addScaledVector(this.stage.right, Math.cos(a))
        .addScaledVector(this.stage.ahead, Math.sin(a))
        .multiplyScalar(number("wind"));
      this.commands.send({ type: "set", wind: v.toArray() }, "wind");
    };
    set("mu", mu ?? 0.3, (x) => x.toFixed(2), () => this.commands.send({ type: "set", mu: number("mu") }, "mu"));
    if (mu == null) $("mu-value").textContent = "as given";
    set("gravity", pull.length() / most, (x) => `${(x * most).toFixed(1)} m/s²`, () => {
      const g = down.clone().multiplyScalar(number("gravity") * most);
      this.commands.send({ type: "set", gravity: g.toArray() }, "gravity");
    });
    set("wind", air.length(), (x) => `${x.toFixed(1)} m/s`, sendWind);
    set("wind-from", (degrees + 360) % 360, (x) => `${x.toFixed(0)}°`, sendWind);
  }

  listen() {
    const stage = $("stage");
    const view = this.stage.canvas;
    const at = (e) => {
      const box = view.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    // Before the controls of the camera see it.
    stage.addEventListener("pointerdown", (e) => {
      if (e.target !== view || e.button !== 0 || !this.grabbing || e.shiftKey || this.held || !e.isPrimary) return;
      const found = pick(this.stage, ...at(e), REACH[e.pointerType] ?? 16);
      if (!found) return;
      this.stage.controls.enabled = false;
      view.setPointerCapture(e.pointerId);
      this.held = { ...found, start: found.point.clone(), target: found.point.clone() };
      this.pull();
    }, true);
    view.addEventListener("pointermove", (e) => {
      if (this.held) {
        const target = onPlane(this.stage, ...at(e), this.held.start);
        if (target) this.held.target.copy(target);
        this.pull();
      } else if (e.buttons === 0 && e.pointerType === "mouse") {
        const near = this.grabbing && pick(this.stage, ...at(e), REACH.mouse);
        view.style.cursor = near ? "grab" : "";
      }
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) view.addEventListener(type, () => this.drop());
  }

  pull() {
    const { rod, s, target } = this.held;
    this.commands.send({ type: "drag", rod, s, target: target.toArray() }, "drag");
    this.stage.canvas.style.cursor = "grabbing";
    this.onChange();
  }

  drop() {
    if (!this.held) return;
    this.held = null;
    this.stage.controls.enabled = true;
    this.stage.canvas.style.cursor = "";
    this.commands.send({ type: "drop" }, "drag"); // replaces a drag that waits
    this.onChange();
  }

  // The thread from the strand to the pointer.
  draw() {
    const c = this.overlay;
    c.style.visibility = this.held ? "" : "hidden";
    if (!this.held) return;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [c.clientWidth, c.clientHeight];
    if (c.width !== w * ratio || c.height !== h * ratio) [c.width, c.height] = [w * ratio, h * ratio];
    const g = c.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    const { i, u, target } = this.held;
    const strands = this.stage.strands;
    if (i + 1 >= strands.shape.start.at(-1)) return;
    const from = strands.place(i, new THREE.Vector3()).lerp(strands.place(i + 1, new THREE.Vector3()), u);
    const screen = (p) => {
      const q = p.clone().project(this.stage.camera);
      return [(0.5 + 0.5 * q.x) * w, (0.5 - 0.5 * q.y) * h];
    };
    const [a, b] = [screen(from), screen(target)];
    g.strokeStyle = g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    g.lineWidth = 2;
    g.setLineDash([5, 4]);
    g.beginPath();
    g.moveTo(...a);
    g.lineTo(...b);
    g.stroke();
    g.setLineDash([]);
    g.beginPath();
    g.arc(...a, 5, 0, 7);
    g.fill();
    g.beginPath();
    g.arc(...b, 9, 0, 7);
    g.stroke();
  }

  // A change of state came with a frame.
  async stateChanged() {
    if (!this.source.connected) return this.ui.message("The simulation does not answer. Waiting for it …", "loading");
    const state = this.source.frames.at(-1)?.state ?? 0;
    if (state & FAILED) {
      const { error } = await this.source.ask();
      this.ui.message(error ?? "The simulation failed. Start again with R.", "failed");
    } else this.ui.message(null, null);
  }
}
