// Bodies: meshes with normals under the light of glsl.js. A plane without end fades out and has a faint grid.
import * as THREE from "three";
import { fromBase64 } from "./format.js";
import { LIGHT, LIGHT_UNIFORMS } from "./glsl.js";

const vertex = `
  out vec3 vNormal, vWorld, vView, vOut;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0), view = viewMatrix * world;
    vOut = mat3(modelMatrix) * normal;
    vWorld = world.xyz;
    vView = view.xyz;
    vNormal = normalMatrix * normal;
    gl_Position = projectionMatrix * view;
  }
`;

const fragment = `
  in vec3 vNormal, vWorld, vView, vOut;
  uniform vec3 colour, centre, gridX, gridY;
  uniform float opacity, fade, grid, gridTone, depthOnly;
  out vec4 outColour;
  ${LIGHT_UNIFORMS}
  ${LIGHT}
  // Share of a pixel that lines every \`period\` cover.
  float lines(vec2 at, float period) {
    vec2 q = at / period, w = fwidth(q), d = abs(fract(q - 0.5) - 0.5);
    vec2 line = clamp(1.2 - d / max(w, vec2(1e-6)), 0.0, 1.0) * clamp(0.6 - w * 2.0, 0.0, 0.6);
    return max(line.x, line.y);
  }
  void main() {
    if (depthOnly > 0.5) { outColour = vec4(1.0); return; }
    vec3 n = normalize(vNormal), eye = normalize(-vView);
    if (!gl_FrontFacing) n = -n;
    float light = lit(vWorld + normalize(vOut) * shadowReach * (gl_FrontFacing ? 1.0 : -1.0)); // not its own shadow
    vec3 base = colour;
    float alpha = opacity;
    if (fade > 0.0) {
      vec2 at = vec2(dot(vWorld - centre, gridX), dot(vWorld - centre, gridY));
      float far = length(vWorld - centre) / fade;
      alpha *= 1.0 - smoothstep(0.25, 1.0, far);
      float line = max(lines(at, grid), 0.45 * lines(at, grid / 5.0));
      base = mix(base, vec3(gridTone), line * 0.3);
    }
    float diffuse = max(dot(n, keyDirection), 0.0) * light;
    vec3 h = normalize(keyDirection + eye);
    float rim = pow(1.0 - max(dot(n, eye), 0.0), 3.0);
    vec3 c = base * (sky(n) + keyColour * diffuse);
    if (fade <= 0.0) c += keyColour * light * 0.10 * pow(max(dot(n, h), 0.0), 32.0) + skyColour * 0.06 * rim;
    if (opacity < 1.0 && fade <= 0.0) alpha = mix(opacity, 0.8, rim);
    outColour = vec4(develop(c), alpha);
  }
`;

function meshOf(body) {
  const bytes = (text) => fromBase64(text).buffer;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(bytes(body.vertex)), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(bytes(body.normal)), 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(bytes(body.triangle)), 1));
  return geometry;
}

// 1, 2 or 5 times a power of ten, near x.
export function roundNumber(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

export class Bodies {
  constructor(head, light, centre, radius) {
    this.group = new THREE.Group();
    this.depthOnly = { value: 0 };
    this.list = head.bodies;
    this.moment = {}; // what the surfaces that deform show
    this.own = head.bodies.map((b) => new THREE.Color(...b.colour));
    this.quaternions = [new THREE.Quaternion(), new THREE.Quaternion()];
    for (const body of head.bodies) {
      const geometry = meshOf(body);
      const normal = new THREE.Vector3().fromBufferAttribute(geometry.attributes.normal, 0);
      const x = new THREE.Vector3(1, 0, 0).projectOnPlane(normal);
      if (x.length() < 0.1) x.set(0, 1, 0).projectOnPlane(normal);
      x.normalize();
      const material = new THREE.ShaderMaterial({
        uniforms: {
          ...light,
          depthOnly: this.depthOnly,
          colour: { value: new THREE.Color() },
          opacity: { value: 1 },
          centre: { value: centre.clone() },
          gridX: { value: x },
          gridY: { value: new THREE.Vector3().crossVectors(normal, x) },
          fade: { value: body.endless ? 4.2 * radius : 0 },
          grid: { value: roundNumber(radius / 1.6) },
          gridTone: { value: 0 },
        },
        vertexShader: vertex,
        fragmentShader: fragment,
        glslVersion: THREE.GLSL3,
        side: body.endless ? THREE.FrontSide : THREE.DoubleSide,
        transparent: body.endless,
      });
      const mesh = new THREE.Mesh(geometry, material);
      if (body.endless) growTo(mesh, 5 * radius);
      mesh.renderOrder = body.endless ? -2 : -1;
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
  }

  // mode: solid, ghost, hidden. plain: 0 own colours .. 1 grey, so that data stand out. marked: colours of some of them, by number.
  style(mode, plain, dark, marked) {
    this.group.children.forEach((mesh, i) => {
      const endless = this.list[i].endless;
      const u = mesh.material.uniforms;
      mesh.visible = mode !== "hidden" || endless || marked.has(i);
      u.opacity.value = mode === "ghost" && !endless ? 0.16 : 1;
      mesh.material.transparent = endless || mode === "ghost";
      mesh.material.depthWrite = !(mode === "ghost" && !endless);
      mesh.renderOrder = endless ? -2 : mode === "ghost" ? 3 : -1;
      const floor = new THREE.Color(dark ? 0x23272d : 0xf2f2f0);
      const grey = endless ? floor : new THREE.Color(dark ? 0x7d8792 : 0xb9c0c8);
      u.colour.value.copy(this.own[i]).lerp(grey, endless ? (dark ? 0.9 : 0.8) : plain);
      if (marked.has(i)) u.colour.value.lerp(new THREE.Color(marked.get(i)), 0.55);
      u.gridTone.value = dark ? 0.3 : 0.1;
    });
  }

  // Vertices of the bodies that deform, on the straight line between two frames.
  setSurfaces(a, b, blend) {
    const to = b && b.surface && blend > 0 ? b : a;
    const same = this.moment.a === a && this.moment.b === to && this.moment.blend === blend;
    if (!a.surface || same) return;
    this.moment = { a, b: to, blend };
    const count = a.surface.length / 3;
    let first = 0;
    this.group.children.forEach((mesh, i) => {
      if (!this.list[i].deforms) return;
      const position = mesh.geometry.attributes.position;
      for (let v = 0; v < position.count; v++) {
        for (let k = 0; k < 3; k++) {
          const at = k * count + first + v;
          const x = a.surfaceBox[k] + a.surfaceBox[3] * a.surface[at];
          const y = to.surfaceBox[k] + to.surfaceBox[3] * to.surface[at];
          position.array[3 * v + k] = x + blend * (y - x);
        }
      }
      position.needsUpdate = true;
      mesh.geometry.computeVertexNormals();
      first += position.count;
    });
  }

  // Poses between two frames: place on the straight line, turn on the sphere.
  setMoment(a, b, blend) {
    const [qa, qb] = this.quaternions;
    this.setSurfaces(a, b, blend);
    this.group.children.forEach((mesh, i) => {
      if (i >= a.bodies) return;
      const p = a.pose.subarray(7 * i, 7 * i + 7);
      mesh.position.set(p[0], p[1], p[2]);
      mesh.quaternion.set(p[4], p[5], p[6], p[3]);
      if (!b || b === a || blend <= 0) return;
      const q = b.pose.subarray(7 * i, 7 * i + 7);
      mesh.position.lerp(qa.set(q[0], q[1], q[2], 0), blend);
      mesh.quaternion.slerp(qb.set(q[4], q[5], q[6], q[3]), blend);
    });
  }
}

// An endless plane must reach beyond where it fades.
function growTo(mesh, size) {
  mesh.geometry.computeBoundingSphere();
  const scale = Math.max(1, (2 * size) / Math.max(mesh.geometry.boundingSphere.radius, 1e-9));
  const p = mesh.geometry.attributes.position;
  const c = mesh.geometry.boundingSphere.center;
  const v = new THREE.Vector3();
  for (let i = 0; i < p.count; i++) {
    v.fromBufferAttribute(p, i).sub(c).multiplyScalar(scale).add(c);
    p.setXYZ(i, v.x, v.y, v.z);
  }
}
