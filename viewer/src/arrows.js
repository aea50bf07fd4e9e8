// Contact forces as flat arrows that face the camera: on the first object, from the contact along the impulse. Their length is
// the square root of the force, because few contacts carry most of the load.
import * as THREE from "three";

const vertex = `
  in vec3 shape;  // along 0..1, across, 1: head
  in vec3 origin; // of the contact
  in vec4 force;  // direction, square root of its size
  in float kind;
  uniform float scale, pixel, radius;
  out float vKind;
  void main() {
    float length_ = max(force.w * scale, 1e-9);
    vec3 p = (viewMatrix * vec4(origin, 1.0)).xyz, t = mat3(viewMatrix) * force.xyz;
    float dot_ = pixel * max(-p.z, 1e-6);
    vec3 side = cross(t, normalize(-p));
    side /= max(length(side), 1e-4);
    float width = clamp(0.035 * length_, 1.1 * dot_, 2.6 * dot_);
    float head = min(6.0 * width, 0.6 * length_);
    float along = shape.z > 0.5 ? length_ - head + shape.x * head : shape.x * (length_ - head);
    p += t * along + side * shape.y * (shape.z > 0.5 ? 2.6 * width : width);
    p *= 1.0 - min(4.0 * radius / max(length(p), 1e-9), 0.02); // in front of the strands it belongs to
    vKind = kind;
    gl_Position = projectionMatrix * vec4(p, 1.0);
    if (force.w * scale < 1.5 * dot_) gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // too short to see
  }
`;

const fragment = `
  in float vKind;
  uniform vec3 stick, slide;
  uniform float opacity;
  out vec4 outColour;
  void main() { outColour = vec4(vKind < 1.5 ? stick : slide, opacity); }
`;

// prettier-ignore
const SHAPE = [0, -1, 0, 0, 1, 0, 1, -1, 0, 1, -1, 0, 0, 1, 0, 1, 1, 0, 0, -1, 1, 0, 1, 1, 1, 0, 1];

export class Arrows {
  constructor() {
    this.frame = null;
    this.uniforms = {
      scale: { value: 1 },
      pixel: { value: 1 },
      radius: { value: 0 },
      stick: { value: new THREE.Color() },
      slide: { value: new THREE.Color() },
      opacity: { value: 1 },
    };
    this.material = new THREE.ShaderMaterial({
      uniforms: this.uniforms,
      vertexShader: vertex,
      fragmentShader: fragment,
      glslVersion: THREE.GLSL3,
      side: THREE.DoubleSide,
    });
    // Twice: faintly through everything, and where nothing is in front.
    this.ghost = new THREE.ShaderMaterial({
      uniforms: { ...this.uniforms, opacity: { value: 0.28 } },
      vertexShader: vertex,
      fragmentShader: fragment,
      glslVersion: THREE.GLSL3,
      side: THREE.DoubleSide,
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    this.faint = new THREE.Mesh(this.mesh.geometry, this.ghost);
    this.faint.frustumCulled = false;
    this.mesh.add(this.faint);
    this.room = 0;
  }

  makeRoom(contacts) {
    if (contacts <= this.room) return;
    this.room = Math.ceil(contacts * 1.5) + 64;
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("shape", new THREE.Float32BufferAttribute(SHAPE, 3));
    for (const [name, size] of [["origin", 3], ["force", 4], ["kind", 1]]) {
      const attribute = new THREE.InstancedBufferAttribute(new Float32Array(size * this.room), size);
      geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    }
    geometry.setIndex(SHAPE.slice(0, SHAPE.length / 3).map((_, i) => i)); // three draws no instances without one
    this.mesh.geometry.dispose();
    this.mesh.geometry = this.faint.geometry = geometry;
  }

  setFrame(frame) {
    if (frame === this.frame || !this.mesh.visible) return;
    this.frame = frame;
    const n = frame.contacts;
    this.makeRoom(Math.max(n, 1));
    const { origin, force, kind } = this.mesh.geometry.attributes;
    let at = 0;
    for (let i = 0; i < n; i++) {
      if (frame.contactStatus[i] === 0) continue;
      const q = frame.contactForce;
      const size = (q[4 * i + 3] & 255) / 255;
      const d = [q[4 * i], q[4 * i + 1], q[4 * i + 2]];
      const length = Math.hypot(...d) || 1;
      for (let k = 0; k < 3; k++) {
        origin.array[3 * at + k] = frame.origin[k] + frame.cell * frame.contactPoint[k * n + i];
        force.array[4 * at + k] = d[k] / length;
      }
      force.array[4 * at + 3] = Math.sqrt(frame.contactMax) * size;
      kind.array[at++] = frame.contactStatus[i];
    }
    this.mesh.geometry.instanceCount = at;
    for (const a of [origin, force, kind]) a.needsUpdate = true;
  }
}
