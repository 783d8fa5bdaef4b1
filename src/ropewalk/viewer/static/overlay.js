// What is written over the picture: axes with metres, names, the scale bar. Text is drawn, never markup.

const FONT = "12px system-ui, 'Segoe UI', Roboto, Arial, sans-serif";
const MOST_LABELS = 80; // names shown at once; more would hide the picture

// Values of the ticks between low and high (metres of the page), told from `origin`.
function ticks(low, high, origin, count) {
  const step = roundStep(Math.max(high - low, 1e-9), count), out = [];
  const places = decimals(step);
  for (let k = Math.ceil((low + origin) / step - 1e-6); k * step <= high + origin + 1e-6 * step; k++) {
    out.push({ at: k * step - origin, text: (k * step).toFixed(places).replace(/^-(0(\.0*)?)$/, "$1") });
  }
  return out;
}

// Edges of the box that carry the axes, as they lie in the window: the lower edges of the floor, the outermost upright.
function axisEdges(low, high, camera, lift) {
  const at = (x, y, z) => [x, y, z * lift];
  const middle = (edge) => camera.project(scale(add(edge[0], edge[1]), 0.5)) || [0, 0, 0];
  const lowest = (edges) => edges.reduce((best, edge) => (middle(edge)[1] > middle(best)[1] ? edge : best));
  const flat = Math.abs(camera.pitch) < 0.02;
  const x = [low[1], high[1]].map((y) => [at(low[0], y, low[2]), at(high[0], y, low[2])]);
  const y = [low[0], high[0]].map((v) => [at(v, low[1], low[2]), at(v, high[1], low[2])]);
  const corners = [[low[0], low[1]], [low[0], high[1]], [high[0], low[1]], [high[0], high[1]]];
  const z = corners.map(([a, b]) => [at(a, b, low[2]), at(a, b, high[2])]);
  const left = z.reduce((best, edge) => (middle(edge)[0] < middle(best)[0] - 1e-6 ? edge : best));
  const near = (edges) => edges.reduce((best, edge) => (middle(edge)[2] < middle(best)[2] ? edge : best));
  return { x: flat ? near(x) : lowest(x), y: flat ? near(y) : lowest(y), z: left };
}

// Box edges and floor ticks as segments for the graphics card.
function boxSegments(low, high, edges) {
  const out = [];
  const put = (a, b) => out.push(...a, 0, ...b, 0);
  for (const name of ["x", "y", "z"]) put(...edges[name]);
  return new Float32Array(out);
}

class Overlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
  }

  begin(theme) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2), canvas = this.canvas;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    this.pen.font = FONT;
    this.theme = theme;
    this.taken = [];
  }

  text(words, x, y, align, colour) {
    const pen = this.pen;
    pen.textAlign = align;
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = this.theme.halo;
    pen.strokeText(words, x, y);
    pen.fillStyle = colour;
    pen.fillText(words, x, y);
  }

  // Whether a box of this size is still free; takes it if so.
  take(x, y, width, height) {
    const clash = this.taken.some((b) => x < b[0] + b[2] && b[0] < x + width && y < b[1] + b[3] && b[1] < y + height);
    if (!clash) this.taken.push([x, y, width, height]);
    return !clash;
  }

  axes(low, high, origin, camera, lift) {
    const edges = axisEdges(low, high, camera, lift);
    const middle = camera.project(scale(add([low[0], low[1], low[2] * lift], [high[0], high[1], high[2] * lift]), 0.5));
    if (!middle) return;
    ["x", "y", "z"].forEach((name, axis) => {
      const [a, b] = edges[name].map((p) => camera.project(p));
      if (!a || !b || Math.hypot(b[0] - a[0], b[1] - a[1]) < 25) return;
      const long = Math.hypot(b[0] - a[0], b[1] - a[1]), count = clamp(long / 70, 2, 8);
      let out = [-(b[1] - a[1]) / long, (b[0] - a[0]) / long];
      const centre = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      if ((centre[0] - middle[0]) * out[0] + (centre[1] - middle[1]) * out[1] < 0) out = [-out[0], -out[1]];
      const align = out[0] < -0.35 ? "right" : out[0] > 0.35 ? "left" : "center";
      for (const tick of ticks(low[axis], high[axis], origin[axis], count)) {
        const p = edges[name][0].slice();
        p[axis] = tick.at * (axis === 2 ? lift : 1);
        const at = camera.project(p);
        if (!at) continue;
        this.stroke(at[0], at[1], at[0] + 5 * out[0], at[1] + 5 * out[1]);
        const x = at[0] + 10 * out[0], y = at[1] + 12 * out[1], width = this.pen.measureText(tick.text).width + 4;
        const left = align === "right" ? x - width : align === "left" ? x : x - width / 2;
        if (this.take(left, y - 8, width, 16)) this.text(tick.text, x, y, align, this.theme.quiet);
      }
      const far = 34 + (align === "center" ? 0 : 14);
      this.text(`${name} (m)`, centre[0] + far * out[0], centre[1] + far * out[1], align, this.theme.ink);
    });
  }

  stroke(x0, y0, x1, y1) {
    this.pen.strokeStyle = this.theme.quiet;
    this.pen.lineWidth = 1;
    this.pen.beginPath();
    this.pen.moveTo(x0, y0);
    this.pen.lineTo(x1, y1);
    this.pen.stroke();
  }

  // labels: {text, place: [x, y, z] with z as shown}, the most important first
  labels(labels, camera) {
    let shown = 0;
    for (const label of labels) {
      const at = camera.project(label.place);
      if (!at || at[2] > 1 || shown >= MOST_LABELS) continue;
      const width = this.pen.measureText(label.text).width + 6;
      if (!this.take(at[0] + 8, at[1] - 17, width, 15)) continue;
      this.text(label.text, at[0] + 9, at[1] - 10, "left", this.theme.ink);
      shown++;
    }
  }

  // Ends at the pixel (x, y).
  scaleBar(camera, [x, y]) {
    const metres = 2 * camera.halfHeight / camera.height, length = roundStep(110 * metres, 1);
    const width = length / metres, pen = this.pen;
    pen.strokeStyle = this.theme.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x - width, y - 4); pen.lineTo(x - width, y); pen.lineTo(x, y); pen.lineTo(x, y - 4);
    pen.stroke();
    const [factor, letter] = length >= 1000 ? [1e-3, "k"] : length < 0.1 ? [1e3, "m"] : [1, ""];
    const told = `${Number((length * factor).toPrecision(2))} ${letter}m`;
    this.text(camera.perspective ? `${told} at the middle` : told, x - width / 2, y - 12, "center", this.theme.ink);
  }
}
