// Which strand is under the pointer.
import * as THREE from "three";

// The point of a strand nearest to (x, y) in pixels of the canvas, within `reach` pixels: {rod, s, point} or null. Among
// strands that are about as near on the screen, the one in front.
export function pick(stage, x, y, reach) {
  const { strands, camera, canvas } = stage;
  if (!strands.first) return null;
  const { start } = strands.shape;
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  const p = new THREE.Vector3();
  const screen = (i) => {
    const depth = strands.place(i, p).clone().project(camera);
    return [(0.5 + 0.5 * depth.x) * w, (0.5 - 0.5 * depth.y) * h, depth.z];
  };
  let best = null;
  for (let r = 0; r + 1 < start.length; r++) {
    let a = screen(start[r]);
    for (let i = start[r]; i + 1 < start[r + 1]; i++) {
      const b = screen(i + 1);
      const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
      const u = Math.min(Math.max(((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1), 0), 1);
      const away = Math.hypot(a[0] + u * dx - x, a[1] + u * dy - y);
      const depth = a[2] + u * (b[2] - a[2]);
      if (away <= reach && depth > -1 && depth < 1) {
        const score = away / reach + 40 * depth; // a pixel counts less than being in front
        if (!best || score < best.score) best = { rod: r, i, u, score };
      }
      a = b;
    }
  }
  return best && describe(strands, best);
}

// Abscissa and place of a pick.
function describe(strands, { rod, i, u }) {
  const a = new THREE.Vector3();
  const b = new THREE.Vector3();
  const from = strands.shape.start[rod];
  let s = 0;
  for (let k = from; k < i; k++) s += strands.place(k, a).distanceTo(strands.place(k + 1, b));
  strands.place(i, a);
  strands.place(i + 1, b);
  return { rod, i, u, s: s + u * a.distanceTo(b), point: a.lerp(b, u) };
}

// Where the ray through (x, y) meets the plane through `point` parallel to the picture.
export function onPlane(stage, x, y, point) {
  const { camera, canvas } = stage;
  const ndc = new THREE.Vector2((2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight);
  const ray = new THREE.Raycaster();
  ray.setFromCamera(ndc, camera);
  const normal = camera.getWorldDirection(new THREE.Vector3());
  const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, point);
  return ray.ray.intersectPlane(plane, new THREE.Vector3());
}
