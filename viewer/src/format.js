// Packed frames and chunks, as docs/viewer.md describes them.

const HEADER = 96;
const WITH_RODS = 1;
const DIFFERENCES = 2;
const SURFACE_DIFFERENCES = 4;

export const PAUSED = 1;
export const FAILED = 2;
export const DRAGGED = 4;
export const ENDED = 8;

// Bytes of base64 text.
export function fromBase64(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// First all bytes of even place, then all of odd place: back in order.
function putTogether(bytes) {
  const out = new Uint8Array(bytes.length);
  const half = bytes.length >> 1;
  for (let i = 0; i < half; i++) {
    out[2 * i] = bytes[i];
    out[2 * i + 1] = bytes[half + i];
  }
  return out;
}

// Cuts arrays out of a frame, one after the other.
class Reader {
  constructor(bytes) {
    this.buffer = bytes.buffer;
    this.base = bytes.byteOffset;
    this.end = bytes.length;
    this.at = HEADER;
  }
  take(Type, count) {
    const size = Type.BYTES_PER_ELEMENT * count;
    if (this.at + size > this.end) throw new Error("a frame is shorter than it says");
    const array = new Type(this.buffer, this.base + this.at, count);
    this.at += (size + 3) & ~3;
    return array;
  }
}

// Sums along the array, added to the frame before, modulo the type.
function addTo(array, before) {
  let sum = 0;
  for (let i = 0; i < array.length; i++) {
    sum = (sum + array[i]) & 0xffff;
    array[i] = before[i] + sum;
  }
}

function readHeader(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER || view.getUint32(0, false) !== 0x534b4631) throw new Error("this is no frame");
  const u = (at) => view.getUint32(at, true);
  const f = (at) => view.getFloat32(at, true);
  return {
    size: u(4),
    flags: u(8),
    index: view.getInt32(12, true),
    time: view.getFloat64(16, true),
    sequence: u(24),
    state: u(28),
    generation: u(32),
    origin: [f(36), f(40), f(44)],
    cell: f(48),
    rods: u(52),
    points: u(56),
    bodies: u(60),
    contacts: u(64),
    steps: u(68),
    columns: u(72),
    speedMax: f(76),
    forceMax: f(80),
    contactMax: f(84),
    speedHigh: f(88),
    forceHigh: f(92),
  };
}

// A frame from its bytes (which must start at a multiple of 4); `before` lends rods and what differences refer to.
export function readFrame(bytes, before) {
  const frame = readHeader(bytes);
  if (frame.size > bytes.length) throw new Error("a frame is shorter than it says");
  const r = new Reader(bytes.subarray(0, frame.size));
  const { rods, points, contacts } = frame;
  if (frame.flags & WITH_RODS) {
    frame.shape = {
      start: r.take(Uint32Array, rods + 1),
      radius: r.take(Float32Array, rods),
      group: r.take(Int32Array, rods),
      material: r.take(Int32Array, rods),
      colour: r.take(Uint8Array, 4 * rods),
    };
  } else {
    if (!before) throw new Error("a frame without rods has none before it");
    frame.shape = before.shape;
  }
  frame.point = r.take(Uint16Array, 3 * points);
  for (const name of ["speed", "force", "status", "island"]) frame[name] = r.take(Uint8Array, points);
  frame.pose = r.take(Float32Array, 7 * frame.bodies);
  frame.contactPoint = r.take(Uint16Array, 3 * contacts);
  frame.contactForce = r.take(Int8Array, 4 * contacts);
  frame.contactStatus = r.take(Uint8Array, contacts);
  frame.step = r.take(Float32Array, frame.columns * frame.steps);
  if (r.at < frame.size) {
    const count = r.take(Uint32Array, 1)[0];
    frame.surfaceBox = r.take(Float32Array, 4);
    frame.surface = r.take(Uint16Array, 3 * count);
    if (frame.flags & SURFACE_DIFFERENCES) addTo(frame.surface, before.surface);
  }
  if (frame.flags & DIFFERENCES) {
    for (const name of ["point", "speed", "force", "status", "island"]) addTo(frame[name], before[name]);
  }
  return frame;
}

// The frames of a chunk, given as base64 text.
export async function readChunk(text, count) {
  const bytes = await inflate(fromBase64(text));
  const frames = [];
  let at = 0;
  for (let k = 0; k < count; k++) {
    const size = new DataView(bytes.buffer, at, 4).getUint32(0, true);
    frames.push(readFrame(putTogether(bytes.subarray(at + 4, at + 4 + size)), frames[k - 1]));
    at += 4 + size;
  }
  return frames;
}
