// A camera that turns about a target, z up, and the ways to move it.

const FIELD = 0.6; // rad, angle of view from bottom to top
const PRESETS = { home: [-1.05, 0.32], side: [-Math.PI / 2, 0], end: [0, 0], top: [-Math.PI / 2, Math.PI / 2] };
const FILL = 0.92; // share of the free part of the window that a fitted scene takes

class Camera {
  constructor() {
    this.yaw = PRESETS.home[0]; this.pitch = PRESETS.home[1];
    this.target = [0, 0, 0]; this.distance = 1; this.perspective = true;
    this.width = 1; this.height = 1; this.size = 1;
    this.shift = [0, 0]; // of the middle of the free part of the window, in pixels right and up
  }

  axes() {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return { right: [-sy, cy, 0], up: [-cy * sp, -sy * sp, cp], back: [cy * cp, sy * cp, sp] };
  }

  // Half the height that is seen at the target, m.
  get halfHeight() { return this.distance * Math.tan(FIELD / 2); }

  update(width, height) {
    this.width = width; this.height = height;
    const { right, up, back } = this.axes(), aspect = width / height;
    this.eye = add(this.target, scale(back, this.distance));
    this.near = Math.max(this.distance - 4 * this.size, this.distance * 2e-3);
    const far = this.distance + 6 * this.size;
    const lens = this.perspective ? perspectiveMatrix(FIELD, aspect, this.near, far)
      : orthographicMatrix(this.halfHeight, aspect, -far, far);
    const move = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 2 * this.shift[0] / width, 2 * this.shift[1] / height, 0, 1];
    this.matrix = multiply(move, multiply(lens, viewMatrix(this.eye, right, up, back)));
    this.light = unit(add(add(scale(up, 0.8), scale(right, -0.35)), add(scale(back, 0.5), [0, 0, 0.4])));
  }

  // Window place of a point in pixels from the upper left, and its depth; null behind the eye.
  project(p) {
    const c = transform(this.matrix, p);
    if (c[3] <= 1e-9) return null;
    return [(0.5 + 0.5 * c[0] / c[3]) * this.width, (0.5 - 0.5 * c[1] / c[3]) * this.height, c[2] / c[3]];
  }

  // Ray through a pixel: where it starts and where it goes.
  ray(x, y) {
    const { right, up, back } = this.axes(), h = this.halfHeight, aspect = this.width / this.height;
    const u = (2 * (x - this.shift[0]) / this.width - 1) * h * aspect, v = (1 - 2 * (y + this.shift[1]) / this.height) * h;
    const at = add(this.target, add(scale(right, u), scale(up, v)));
    if (!this.perspective) return { from: add(at, scale(back, 4 * this.size + this.distance)), along: scale(back, -1) };
    return { from: this.eye, along: unit(sub(at, this.eye)) };
  }

  turn(dx, dy) {
    this.yaw -= 0.008 * dx;
    this.pitch = clamp(this.pitch + 0.008 * dy, -Math.PI / 2, Math.PI / 2);
  }

  pan(dx, dy) {
    const { right, up } = this.axes(), metres = 2 * this.halfHeight / this.height;
    this.target = add(this.target, add(scale(right, -dx * metres), scale(up, dy * metres)));
  }

  // Nearer by `factor` < 1, keeping the place under the pixel (x, y) where it is.
  zoom(factor, x = this.width / 2 + this.shift[0], y = this.height / 2 - this.shift[1]) {
    const limited = clamp(this.distance * factor, 1e-3 * this.size, 20 * this.size) / this.distance;
    const { right, up } = this.axes(), metres = 2 * this.halfHeight / this.height;
    const u = (x - this.width / 2 - this.shift[0]) * metres, v = -(y - this.height / 2 + this.shift[1]) * metres;
    this.target = add(this.target, add(scale(right, u * (1 - limited)), scale(up, v * (1 - limited))));
    this.distance *= limited;
  }

  // The box from low to high in the free part of the window; `free` is [left, top, right, bottom] in pixels.
  fit(low, high, width, height, free) {
    this.size = norm(sub(high, low)) || 1;
    this.target = scale(add(low, high), 0.5);
    this.shift = [(free[0] + free[2] - width) / 2, (height - free[1] - free[3]) / 2];
    const room = [FILL * (free[2] - free[0]) / 2, FILL * (free[3] - free[1]) / 2];
    for (let round = 0; round < 4; round++) { // the nearer half looks larger: move the target to the middle of the picture
      let near = 1e-3 * this.size, far = 40 * this.size;
      for (let i = 0; i < 40; i++) {
        this.distance = Math.sqrt(near * far);
        this.update(width, height);
        const box = this.outline(low, high);
        const fits = box && box[2] - box[0] <= 2 * room[0] && box[3] - box[1] <= 2 * room[1];
        if (fits) far = this.distance; else near = this.distance;
      }
      this.distance = far;
      this.update(width, height);
      const box = this.outline(low, high);
      if (!box) return;
      this.pan(width / 2 + this.shift[0] - (box[0] + box[2]) / 2, height / 2 - this.shift[1] - (box[1] + box[3]) / 2);
    }
    this.update(width, height);
  }

  // [left, top, right, bottom] of the box from low to high in the window; null if part of it is behind the eye.
  outline(low, high) {
    const out = [Infinity, Infinity, -Infinity, -Infinity];
    for (let k = 0; k < 8; k++) {
      const p = this.project([k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]]);
      if (!p) return null;
      out[0] = Math.min(out[0], p[0]); out[1] = Math.min(out[1], p[1]);
      out[2] = Math.max(out[2], p[0]); out[3] = Math.max(out[3], p[1]);
    }
    return out;
  }
}

// Mouse, touch and keys of a canvas; `moved` is called after each change, `clicked` with the pixel of a click.
// A `hand` may take hold of a part instead: take(x, y) is true if it does, then drag(x, y, level) and drop().
function steer(canvas, camera, moved, clicked, hand) {
  const fingers = new Map();
  let travelled = 0, panning = false, holds = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("dragged");
    if (!fingers.size) travelled = 0;
    if (!fingers.size && event.button === 0 && !event.shiftKey && hand.take(...place(event))) holds = event.pointerId;
    fingers.set(event.pointerId, place(event));
    panning = event.button === 2 || event.button === 1 || event.shiftKey;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = place(event), dx = now[0] - before[0], dy = now[1] - before[1];
    travelled += Math.hypot(dx, dy);
    if (holds === event.pointerId) {
      fingers.set(event.pointerId, now);
      hand.drag(...now, event.shiftKey);
      return;
    }
    if (fingers.size === 1) {
      if (panning) camera.pan(dx, dy); else camera.turn(dx, dy);
    } else if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = (p) => Math.max(1, Math.hypot(p[0] - other[0], p[1] - other[1]));
      camera.pan(dx / 2, dy / 2);
      camera.zoom(apart(before) / apart(now), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    }
    fingers.set(event.pointerId, now);
    moved();
  });
  const lift = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (holds === event.pointerId) { holds = null; hand.drop(); }
    if (!fingers.size) canvas.classList.remove("dragged");
    if (event.type === "pointerup" && travelled < 5 && !fingers.size && event.button === 0) clicked(...place(event));
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    camera.zoom(Math.exp(clamp(event.deltaY * lines, -200, 200) * 0.0015), ...place(event));
    moved();
  }, { passive: false });
}
