// Strands as ribbons that face the camera and are shaded as round tubes. The points of two frames are in textures; the vertex
// shader takes a point between them in time, and on a cubic through them along the strand.
//
// Cubic (Hermite) on the segment p1 p2 of length h: p(u) with p' = h t1, h t2; the direction t at a point is that of the
// parabola through it and its neighbours, (h2 d1/h1 + h1 d2/h2) / (h1 + h2), which does not overshoot on uneven spacing.
import * as THREE from "three";
import { LIGHT, LIGHT_UNIFORMS } from "./glsl.js";

const WIDTH = 1024; // of the textures

const vertex = `
  in vec2 corner;  // across -1..1, along 0..1
  in vec4 segment; // first point, 1: starts a strand + 2: ends it, radius, rod
  uniform sampler2D pointsA, pointsB, colours;
  uniform float blend, thickness, pixel, minPixels;
  uniform mat4 viewInverse;
  out vec3 vColour, vSide, vFront, vTangent, vWorld;
  out vec2 vCap;
  out float vAcross, vThin, vShade;

  vec3 point(int i) {
    ivec2 c = ivec2(i & ${WIDTH - 1}, i >> 10);
    return mix(texelFetch(pointsA, c, 0).xyz, texelFetch(pointsB, c, 0).xyz, blend);
  }
  vec3 colour(int i) { return texelFetch(colours, ivec2(i & ${WIDTH - 1}, i >> 10), 0).rgb; }
  vec3 direction(vec3 d1, vec3 d2) {
    float h1 = max(length(d1), 1e-12), h2 = max(length(d2), 1e-12);
    return (h2 * d1 / h1 + h1 * d2 / h2) / (h1 + h2);
  }

  void main() {
    int i = int(segment.x + 0.5), bits = int(segment.y + 0.5);
    bool first = (bits & 1) != 0, last = (bits & 2) != 0;
    vec3 p1 = point(i), p2 = point(i + 1), d = p2 - p1;
    float h = max(length(d), 1e-12), u = corner.y;
    vec3 t1 = d / h, t2 = d / h;
    if (!first) t1 = direction(p1 - point(i - 1), d);
    if (!last) t2 = direction(d, point(i + 2) - p2);
    if (first && !last) t1 = 1.5 * d / h - 0.5 * t2;
    if (last && !first) t2 = 1.5 * d / h - 0.5 * t1;
    float v = 1.0 - u;
    vec3 p = v * v * (1.0 + 2.0 * u) * p1 + u * u * (3.0 - 2.0 * u) * p2 + h * u * v * (v * t1 - u * t2);
    vec3 t = 6.0 * u * v * d / h + v * (1.0 - 3.0 * u) * t1 + u * (3.0 * u - 2.0) * t2;

    vec3 pv = (viewMatrix * vec4(p, 1.0)).xyz;
    vec3 tv = normalize(mat3(viewMatrix) * t + vec3(1e-9, 0.0, 0.0));
    bool flat_ = projectionMatrix[2][3] == 0.0; // an orthographic camera: the lamp
    vec3 eye = flat_ ? vec3(0.0, 0.0, 1.0) : normalize(-pv);
    vec3 side = cross(tv, eye);
    float across = length(side);
    side = across > 1e-4 ? side / across : normalize(cross(tv, vec3(0.3, 0.9, 0.1)));
    float dot_ = pixel * (flat_ ? 1.0 : max(-pv.z, 1e-6));
    float r0 = segment.z * thickness, r = max(r0, 0.5 * minPixels * dot_);

    vCap = vec2(-1.0);
    if (first) vCap.x = u == 0.0 ? 1.0 : -u * h / r;
    if (last) vCap.y = u == 1.0 ? 1.0 : -v * h / r;
    if (first && u == 0.0) pv -= tv * r;
    if (last && u == 1.0) pv += tv * r;
    pv += side * (corner.x * r);
    vAcross = corner.x;
    vSide = side;
    vTangent = tv;
    vFront = normalize(cross(side, tv));
    if (dot(vFront, eye) < 0.0) vFront = -vFront;
    vThin = clamp(1.6 - 0.8 * r0 / dot_, 0.0, 1.0); // thinner than two pixels: light it as a thread
    vColour = mix(colour(i), colour(i + 1), u);
    vShade = 0.8 + 0.38 * fract(sin(segment.w * 12.9898) * 43758.547); // strands differ a little
    vWorld = (viewInverse * vec4(pv, 1.0)).xyz;
    gl_Position = projectionMatrix * vec4(pv, 1.0);
  }
`;

const fragment = `
  in vec3 vColour, vSide, vFront, vTangent, vWorld;
  in vec2 vCap;
  in float vAcross, vThin, vShade;
  uniform float vary, depthOnly, flatness;
  uniform mat4 viewMatrix_;
  out vec4 outColour;
  ${LIGHT_UNIFORMS}
  ${LIGHT}
  void main() {
    float cap = max(max(vCap.x, vCap.y), 0.0), rest = 1.0 - vAcross * vAcross - cap * cap;
    if (rest < 0.0 && cap > 0.0) discard;
    if (depthOnly > 0.5) { outColour = vec4(1.0); return; }
    vec3 tangent = normalize(vTangent), front = normalize(vFront);
    vec3 end = tangent * (vCap.y > 0.0 ? cap : -cap);
    vec3 n = normalize(vAcross * normalize(vSide) + sqrt(max(rest, 0.0)) * front + end);
    vec3 eye = normalize(-(viewMatrix_ * vec4(vWorld, 1.0)).xyz);
    vec3 base = pow(vColour, vec3(2.2)) * mix(1.0, vShade, vary);
    float light = lit(vWorld);
    // A tube by its normal, a thread by its tangent (Kajiya and Kay 1989).
    float tl = dot(tangent, keyDirection), te = dot(tangent, eye);
    float st = sqrt(max(1.0 - tl * tl, 0.0));
    float diffuse = mix(max(dot(n, keyDirection), 0.0), 0.75 * st, vThin);
    vec3 h = normalize(keyDirection + eye);
    float gloss = mix(pow(max(dot(n, h), 0.0), 48.0), pow(max(st * sqrt(max(1.0 - te * te, 0.0)) - tl * te, 0.0), 60.0), vThin);
    float edge = mix(0.72 + 0.28 * sqrt(max(rest, 0.0)), 0.92, vThin);
    vec3 c = base * (sky(mix(n, front, 0.5 * vThin)) + keyColour * diffuse * light) * edge;
    c += keyColour * light * gloss * mix(0.16, 0.1, vThin);
    c = mix(c, base * (0.72 + 0.34 * mix(sqrt(max(rest, 0.0)), 0.9, vThin)) * (0.65 + 0.35 * light), flatness);
    outColour = vec4(develop(c), 1.0);
  }
`;

// A strip of `cuts` pieces: corners of one segment.
function ribbon(cuts) {
  const corner = [];
  const index = [];
  for (let k = 0; k <= cuts; k++) corner.push(-1, k / cuts, 1, k / cuts);
  for (let k = 0; k < cuts; k++) index.push(2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 2, 2 * k + 1, 2 * k + 3);
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("corner", new THREE.Float32BufferAttribute(corner, 2));
  geometry.setIndex(index);
  return geometry;
}

function texture(Type, format, type, points) {
  const rows = Math.max(1, Math.ceil(points / WIDTH));
  const t = new THREE.DataTexture(new Type(4 * WIDTH * rows), WIDTH, rows, format, type);
  t.minFilter = t.magFilter = THREE.NearestFilter;
  return t;
}

export class Strands {
  constructor(light) {
    this.shape = null;
    this.slots = []; // two textures of points and the frames they hold
    this.uniforms = {
      ...light,
      pointsA: { value: null },
      pointsB: { value: null },
      colours: { value: null },
      blend: { value: 0 },
      thickness: { value: 1 },
      pixel: { value: 1 },
      minPixels: { value: 1.2 },
      vary: { value: 1 },
      flatness: { value: 0 },
      depthOnly: { value: 0 },
      viewInverse: { value: new THREE.Matrix4() },
      viewMatrix_: { value: new THREE.Matrix4() },
    };
    this.material = new THREE.ShaderMaterial({
      uniforms: this.uniforms,
      vertexShader: vertex,
      fragmentShader: fragment,
      glslVersion: THREE.GLSL3,
      side: THREE.DoubleSide,
    });
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
  }

  // Other rods: new segments and textures.
  setShape(shape, points) {
    if (shape === this.shape) return;
    if (this.shape && sameRods(shape, this.shape)) {
      this.shape = shape;
      return;
    }
    this.shape = shape;
    const rods = shape.radius.length;
    const segments = new Float32Array(4 * Math.max(0, points - rods));
    let at = 0;
    for (let r = 0; r < rods; r++) {
      for (let i = shape.start[r]; i + 1 < shape.start[r + 1]; i++) {
        const bits = (i === shape.start[r] ? 1 : 0) + (i + 2 === shape.start[r + 1] ? 2 : 0);
        segments.set([i, bits, shape.radius[r], r], at);
        at += 4;
      }
    }
    const geometry = ribbon(points < 12000 ? 4 : points < 80000 ? 2 : 1);
    geometry.setAttribute("segment", new THREE.InstancedBufferAttribute(segments.subarray(0, at), 4));
    geometry.instanceCount = at / 4;
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
    for (const slot of this.slots) slot.texture.dispose();
    this.uniforms.colours.value?.dispose();
    this.slots = [0, 1].map(() => ({
      frame: null,
      used: 0,
      texture: texture(Float32Array, THREE.RGBAFormat, THREE.FloatType, points),
    }));
    this.uniforms.colours.value = texture(Uint8Array, THREE.RGBAFormat, THREE.UnsignedByteType, points);
  }

  // The texture that holds the points of a frame; the one used longer ago is overwritten.
  slotOf(frame, keep) {
    let slot = this.slots.find((s) => s.frame === frame);
    if (slot) return slot;
    slot = this.slots.find((s) => s !== keep && s.frame !== keep?.frame) ?? this.slots[0];
    slot.frame = frame;
    const data = slot.texture.image.data;
    const [x, y, z] = frame.origin;
    const n = frame.points;
    for (let i = 0; i < n; i++) {
      data[4 * i] = x + frame.cell * frame.point[i];
      data[4 * i + 1] = y + frame.cell * frame.point[n + i];
      data[4 * i + 2] = z + frame.cell * frame.point[2 * n + i];
    }
    slot.texture.needsUpdate = true;
    return slot;
  }

  // Shows the moment between two frames.
  setMoment(a, b, blend) {
    this.setShape(a.shape, a.points);
    const together = b && b !== a && b.points === a.points && sameRods(a.shape, b.shape);
    const bSlot = together ? this.slots.find((s) => s.frame === b) : null;
    const first = this.slotOf(a, bSlot);
    const second = together && blend > 0 ? this.slotOf(b, first) : first;
    this.uniforms.pointsA.value = first.texture;
    this.uniforms.pointsB.value = second.texture;
    this.uniforms.blend.value = second === first ? 0 : blend;
    this.first = first;
    this.second = second;
  }

  setColours(fill, frame) {
    const t = this.uniforms.colours.value;
    fill(frame, t.image.data);
    t.needsUpdate = true;
  }

  // Place of point i as shown, in the world.
  place(i, out) {
    const a = this.first.texture.image.data;
    const b = this.second.texture.image.data;
    const u = this.uniforms.blend.value;
    const k = 4 * i;
    return out.set(a[k] + u * (b[k] - a[k]), a[k + 1] + u * (b[k + 1] - a[k + 1]), a[k + 2] + u * (b[k + 2] - a[k + 2]));
  }

  // Before each picture: where the camera is, and how large a pixel is at distance 1 (or anywhere, when orthographic).
  look(camera, pixel, depthOnly) {
    this.uniforms.viewInverse.value.copy(camera.matrixWorld);
    this.uniforms.viewMatrix_.value.copy(camera.matrixWorldInverse);
    this.uniforms.pixel.value = pixel;
    this.uniforms.depthOnly.value = depthOnly ? 1 : 0;
  }
}

export function sameRods(a, b) {
  if (a === b) return true;
  if (a.start.length !== b.start.length) return false;
  for (let i = 0; i < a.start.length; i++) if (a.start[i] !== b.start[i]) return false;
  return true;
}
