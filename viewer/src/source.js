// Where frames come from. Both kinds of source have:
//   head            the description of the scene
//   frames          what has arrived so far: an array with holes (run), or the last few (live)
//   start(notify)   begins to deliver; notify(what) is called on "frames", "state", "done" and on errors ("error", message)
import { readChunk, readFrame } from "./format.js";

// A run inside the page.
export class EmbeddedSource {
  constructor(head) {
    this.live = false;
    this.head = head;
    this.frames = new Array(head.frames);
    this.times = head.times;
  }

  async start(notify) {
    let first = 0;
    for (let c = 0; c < this.head.chunks.length; c++) {
      const element = document.getElementById(`skein-chunk-${c}`);
      const count = this.head.chunks[c];
      const frames = await readChunk(element.textContent, count);
      element.remove(); // its text is not needed again
      for (let k = 0; k < count; k++) this.frames[first + k] = frames[k];
      first += count;
      notify("frames");
    }
    notify("done");
  }
}

const WAIT = 10000; // ms, for a new frame

// A simulation behind a server: frames by long polling, commands by POST.
export class LiveSource {
  constructor(api, head) {
    this.live = true;
    this.api = api;
    this.head = head;
    this.frames = []; // the last two
    this.sequence = 0;
    this.state = null;
    this.connected = true;
  }

  static async open(api) {
    const answer = await fetch(`${api}/scene`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return new LiveSource(api, await answer.json());
  }

  async start(notify) {
    for (;;) {
      try {
        const frame = await this.next();
        if (!this.connected) notify("state", (this.connected = true));
        if (frame) this.receive(frame, notify);
      } catch (error) {
        this.connected = false;
        notify("state");
        await new Promise((resolve) => setTimeout(resolve, 1000));
        if (!(error instanceof TypeError)) notify("error", error.message); // TypeError: no connection, tried again
        this.sequence = 0;
      }
    }
  }

  async next() {
    const answer = await fetch(`${this.api}/frame?after=${this.sequence}&wait=${WAIT}`, { cache: "no-store" });
    if (answer.status === 204) return null;
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return readFrame(new Uint8Array(await answer.arrayBuffer()), null);
  }

  receive(frame, notify) {
    const last = this.frames.at(-1);
    const again = last && last.generation !== frame.generation;
    frame.arrival = performance.now();
    this.sequence = frame.sequence;
    this.frames = last && !again ? [last, frame] : [frame, frame];
    notify("frames", again);
    if (!last || last.state !== frame.state) notify("state");
  }

  async command(command) {
    const answer = await fetch(`${this.api}/command`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(command),
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error ?? `the server answered ${answer.status}`);
    return body;
  }

  async ask() {
    return (await fetch(`${this.api}/state`, { cache: "no-store" })).json();
  }
}
