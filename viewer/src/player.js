// Time of a run: what is shown now, and how it goes on.

export const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  constructor(source) {
    this.source = source;
    this.times = source.times;
    this.start = this.times[0] ?? 0;
    this.end = this.times.at(-1) ?? 0;
    this.time = this.start;
    this.playing = false;
    this.loop = true;
    this.smooth = true;
    const length = this.end - this.start; // slow enough that the run takes about four seconds
    this.speed = SPEEDS.findLast((s) => s <= 1 && length / s >= 4) ?? SPEEDS[0];
  }

  // Frames that have arrived: 0 .. ready - 1.
  get ready() {
    const { frames } = this.source;
    let n = this.known ?? 0;
    while (n < frames.length && frames[n]) n++;
    return (this.known = n);
  }

  // The last frame not after time t.
  indexAt(t) {
    let [lo, hi] = [0, this.times.length - 1];
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.times[mid] <= t + 1e-12) lo = mid;
      else hi = mid - 1;
    }
    return lo;
  }

  get index() {
    return this.indexAt(this.time);
  }

  seek(t) {
    this.time = Math.min(Math.max(t, this.start), this.end);
  }

  seekFrame(i) {
    this.seek(this.times[Math.min(Math.max(i, 0), this.times.length - 1)]);
  }

  toggle() {
    if (!this.playing && this.time >= this.end) this.time = this.start;
    this.playing = !this.playing && this.end > this.start;
  }

  // Seconds of the clock go by.
  tick(seconds) {
    if (!this.playing) return;
    const t = this.time + seconds * this.speed;
    const known = this.times[Math.max(this.ready - 1, 0)];
    if (t <= known) this.time = t;
    else if (known < this.end) this.time = known; // waits for the rest
    else if (this.loop) this.time = this.start;
    else [this.time, this.playing] = [this.end, false];
  }

  // {a, b, blend}: the frames on both sides of now. null: nothing is there yet.
  moment() {
    const last = this.ready - 1;
    if (last < 0) return null;
    const i = Math.min(this.index, last);
    const a = this.source.frames[i];
    const b = i < last ? this.source.frames[i + 1] : a;
    const blend = b === a || !this.smooth ? 0 : (this.time - this.times[i]) / (this.times[i + 1] - this.times[i]);
    return { a, b, blend: Math.min(Math.max(blend, 0), 1) };
  }
}

// The same for a simulation that goes on: between the last two frames, as long as the newest took to come.
export class LivePlayer {
  constructor(source) {
    this.source = source;
    this.smooth = true;
    this.playing = false;
    this.interval = 50; // ms between frames, on average
  }

  arrived() {
    const [a, b] = this.source.frames;
    if (!a || a === b) return;
    const gap = Math.min(b.arrival - a.arrival, 400);
    this.interval += 0.2 * (gap - this.interval);
  }

  get time() {
    return this.source.frames.at(-1)?.time ?? 0;
  }

  tick() {}

  moment() {
    const [a, b] = this.source.frames;
    if (!a) return null;
    const blend = this.smooth ? Math.min((performance.now() - b.arrival) / this.interval, 1) : 1;
    return blend >= 1 ? { a: b, b, blend: 0 } : { a, b, blend };
  }
}
