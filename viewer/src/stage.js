// The picture: camera, lamp with its shadow map, strands, bodies, arrows. It is drawn when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Arrows } from "./arrows.js";
import { Bodies } from "./bodies.js";
import { Strands } from "./strands.js";

// Side of the shadow map; smaller where the processor draws.
function shadowSide(renderer) {
  const gl = renderer.getContext();
  const about = gl.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  return /swiftshader|llvmpipe|software/i.test(name) ? 1024 : 2048;
}

function lightUniforms() {
  return {
    keyDirection: { value: new THREE.Vector3() },
    upDirection: { value: new THREE.Vector3() },
    keyColour: { value: new THREE.Color() },
    skyColour: { value: new THREE.Color() },
    groundColour: { value: new THREE.Color() },
    shadowMatrix: { value: new THREE.Matrix4() },
    shadowMap: { value: null },
    shadowTexel: { value: 1 },
    shadowReach: { value: 0 }, // size of what a look at the map covers
    shadowBias: { value: 0.001 },
    shadowOn: { value: 1 },
  };
}

export class Stage {
  constructor(canvas, head) {
    this.canvas = canvas;
    this.head = head;
    this.dirty = true;
    this.shadowStale = true;
    this.drawOver = () => {};
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setClearColor(0x000000, 0);
    this.scene = new THREE.Scene();
    this.measure(head.bounds);
    this.light = lightUniforms();
    this.strands = new Strands(this.light);
    this.bodies = new Bodies(head, this.light, this.ground(), this.radius);
    this.arrows = new Arrows();
    this.scene.add(this.bodies.group, this.strands.mesh, this.arrows.mesh);
    this.makeCamera(head.camera);
    this.makeLamp();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    this.home();
  }

  measure(bounds) {
    const [lo, hi] = (bounds ?? [[-1, -1, -1], [1, 1, 1]]).map((p) => new THREE.Vector3(...p));
    this.box = new THREE.Box3(lo, hi);
    this.centre = this.box.getCenter(new THREE.Vector3());
    this.radius = Math.max(0.5 * lo.distanceTo(hi), 1e-6);
    const g = new THREE.Vector3(...(this.head.gravity ?? [0, 0, 0]));
    this.up = g.length() > 0 ? g.negate().normalize() : new THREE.Vector3(0, 0, 1);
    // Two horizontal directions: x and y of the world where up is z.
    this.right = new THREE.Vector3(1, 0, 0).projectOnPlane(this.up);
    if (this.right.length() < 0.1) this.right.set(0, 1, 0).projectOnPlane(this.up);
    this.right.normalize();
    this.ahead = new THREE.Vector3().crossVectors(this.up, this.right);
  }

  // Where a floor without end is seen most: below the centre.
  ground() {
    const half = 0.5 * Math.abs(new THREE.Vector3().subVectors(this.box.max, this.box.min).dot(this.up));
    return this.centre.clone().addScaledVector(this.up, -half);
  }

  makeCamera(given) {
    this.fov = given?.fov ?? 32;
    this.camera = new THREE.PerspectiveCamera(this.fov, 1, 0.01 * this.radius, 60 * this.radius);
    this.camera.up.copy(given ? new THREE.Vector3(...given.up) : this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.02 * this.radius;
    this.controls.maxDistance = 30 * this.radius;
    this.controls.addEventListener("change", () => (this.dirty = true));
  }

  makeLamp() {
    const r = 1.2 * this.radius;
    this.key = new THREE.Vector3()
      .addScaledVector(this.up, 1)
      .addScaledVector(this.right, -0.42)
      .addScaledVector(this.ahead, -0.5)
      .normalize();
    this.lamp = new THREE.OrthographicCamera(-r, r, r, -r, 0.1 * r, 6 * r);
    this.lamp.up.copy(this.ahead);
    this.lamp.position.copy(this.centre).addScaledVector(this.key, 3 * r);
    this.lamp.lookAt(this.centre);
    this.lamp.updateMatrixWorld();
    this.lamp.updateProjectionMatrix();
    const toUnit = new THREE.Matrix4().makeTranslation(0.5, 0.5, 0.5).scale(new THREE.Vector3(0.5, 0.5, 0.5));
    this.light.shadowMatrix.value
      .copy(toUnit)
      .multiply(this.lamp.projectionMatrix)
      .multiply(this.lamp.matrixWorldInverse.copy(this.lamp.matrixWorld).invert());
    const side = shadowSide(this.renderer);
    this.lampPixel = (2 * r) / side;
    this.light.shadowTexel.value = 1 / side;
    this.light.shadowReach.value = 3.5 * this.lampPixel;
    this.depth = new THREE.WebGLRenderTarget(side, side);
    this.depth.depthTexture = new THREE.DepthTexture(side, side, THREE.FloatType);
  }

  setTheme(dark) {
    const set = (uniform, r, g, b) => uniform.value.setRGB(r, g, b);
    const l = this.light;
    set(l.keyColour, ...(dark ? [0.98, 0.93, 0.86] : [0.84, 0.8, 0.74]));
    set(l.skyColour, ...(dark ? [0.3, 0.34, 0.4] : [0.5, 0.54, 0.6]));
    set(l.groundColour, ...(dark ? [0.1, 0.095, 0.09] : [0.25, 0.235, 0.22]));
    const style = getComputedStyle(document.documentElement);
    this.arrows.uniforms.stick.value.setStyle(style.getPropertyValue("--stick"), "");
    this.arrows.uniforms.slide.value.setStyle(style.getPropertyValue("--slide"), "");
    this.dirty = true;
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
    if (w === 0 || h === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(w, h, false);
    const before = this.camera.aspect;
    this.camera.aspect = w / h;
    // A scene's own camera is meant for a wide picture: in a high one it must see as far to the sides.
    const wider = this.head.camera ? Math.max(1, 0.85 / this.camera.aspect) : 1;
    this.camera.fov = (360 / Math.PI) * Math.atan(wider * Math.tan((this.fov * Math.PI) / 360));
    this.camera.updateProjectionMatrix();
    if (this.fitted && Math.abs(before - w / h) > 0.01) this.look(this.fitted, false);
    this.dirty = true;
  }

  // The scene's own camera, or the fitted one.
  home() {
    const given = this.head.camera;
    if (!given) return this.fit();
    this.camera.position.set(...given.eye);
    this.controls.target.set(...given.target);
    this.controls.update();
    this.dirty = true;
  }

  // From three quarters, slightly above.
  fit() {
    this.look([0.62, -1, 0.46]);
  }

  // Along a direction given in right, ahead, up: near enough that the box fills the picture. Kept until the user turns.
  look(direction, keep = true) {
    const d = new THREE.Vector3()
      .addScaledVector(this.right, direction[0])
      .addScaledVector(this.ahead, direction[1])
      .addScaledVector(this.up, direction[2])
      .normalize();
    let [near, far] = [0.2 * this.radius, 20 * this.radius];
    for (let k = 0; k < 40; k++) {
      const mid = Math.sqrt(near * far);
      if (this.fits(d, mid)) far = mid;
      else near = mid;
    }
    this.fits(d, far);
    this.controls.target.copy(this.centre);
    this.controls.update();
    if (keep) {
      this.fitted = direction;
      this.controls.addEventListener("start", () => (this.fitted = null), { once: true });
    }
    this.dirty = true;
  }

  fits(direction, distance) {
    this.camera.position.copy(this.centre).addScaledVector(direction, distance);
    this.camera.lookAt(this.centre);
    this.camera.updateMatrixWorld();
    const { min, max } = this.box;
    const p = new THREE.Vector3();
    for (let k = 0; k < 8; k++) {
      p.set(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).project(this.camera);
      if (p.z > 1 || Math.abs(p.x) > 0.9 || Math.abs(p.y) > 0.84) return false;
    }
    return true;
  }

  // Turns about `point` from now on, a little nearer.
  focus(point) {
    const offset = new THREE.Vector3().subVectors(this.camera.position, this.controls.target);
    this.controls.target.copy(point);
    this.camera.position.copy(point).addScaledVector(offset, 0.6);
    this.controls.update();
    this.fitted = null;
    this.dirty = true;
  }

  // Size of a pixel at distance 1.
  get pixel() {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(this.canvas.clientHeight, 1);
  }

  drawShadows() {
    const { strands, bodies, arrows, renderer } = this;
    const seen = arrows.mesh.visible;
    arrows.mesh.visible = false;
    bodies.group.children.forEach((m, i) => {
      m.userData.seen = m.visible;
      m.visible = m.visible && !this.head.bodies[i].endless && m.material.depthWrite;
    });
    this.light.shadowMap.value = null; // not read while it is written
    strands.look(this.lamp, this.lampPixel, true);
    bodies.depthOnly.value = 1;
    renderer.setRenderTarget(this.depth);
    renderer.clear();
    renderer.render(this.scene, this.lamp);
    renderer.setRenderTarget(null);
    bodies.depthOnly.value = 0;
    for (const m of bodies.group.children) m.visible = m.userData.seen;
    arrows.mesh.visible = seen;
    this.light.shadowMap.value = this.depth.depthTexture;
  }

  draw() {
    const on = this.light.shadowOn.value > 0.5;
    if (on && this.shadowStale) this.drawShadows();
    this.shadowStale = false;
    this.camera.updateMatrixWorld();
    this.light.shadowBias.value = (2.5 * this.lampPixel + 1.5 * this.thickest()) / (this.lamp.far - this.lamp.near);
    const turn = new THREE.Matrix3().setFromMatrix4(this.camera.matrixWorldInverse);
    this.light.keyDirection.value.copy(this.key).applyMatrix3(turn);
    this.light.upDirection.value.copy(this.up).applyMatrix3(turn);
    this.strands.look(this.camera, this.pixel, false);
    this.arrows.uniforms.pixel.value = this.pixel;
    this.arrows.uniforms.radius.value = this.thickest();
    this.renderer.render(this.scene, this.camera);
    this.drawOver(); // what lies on the picture
    this.dirty = false;
  }

  thickest() {
    let most = 0;
    for (const r of this.strands.shape?.radius ?? []) most = Math.max(most, r);
    return most * this.strands.uniforms.thickness.value;
  }

  // Shows a moment between two frames.
  setMoment(a, b, blend) {
    this.strands.setMoment(a, b, blend);
    this.bodies.setMoment(a, b, blend);
    this.arrows.setFrame(blend > 0.5 && b ? b : a);
    this.dirty = this.shadowStale = true;
  }
}
