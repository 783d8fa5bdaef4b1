// One picture: the parts of the scene at a moment, in the order in which they are drawn.

const hex = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);

const THEMES = {
  light: {
    ink: "#1d2733", quiet: "#5a6875", edge: "#c9d2da", halo: "rgba(245, 247, 249, 0.85)",
    rim: [...hex("#1d2733"), 1], box: [...hex("#8796a3"), 1], point: hex("#f5f7f9"), pointRim: hex("#1d2733"),
    water: [...hex("#4f9dcc"), 0.22], bed: [...hex("#d9ccb4"), 0.92], grid: [...hex("#9a8a6c"), 0.6],
    body: { dry: hex("#f0b429"), wet: hex("#b5740c"), line: hex("#1d2733") },
    glyph: { dry: hex("#9aa7b2"), wet: hex("#7d8b98"), line: hex("#1d2733") },
    rod: { dry: hex("#e3a857"), wet: hex("#2a6f97"), line: hex("#101820") },
    plain: [...hex("#3c4c5a"), 1], arrow: [...hex("#1f6fa5"), 1], wind: [...hex("#6b7480"), 1], picked: [...hex("#d1006c"), 1],
    lines: ["#0b5c8a", "#c2185b", "#2e7d32", "#bf5b04", "#5e35b1", "#00838f", "#6d4c41", "#455a64"],
    shadow: [...hex("#5b4a2c"), 0.45], touchdown: hex("#7a3e00"), float: hex("#ff7f32"), clump: hex("#45525e"), sky: hex("#d3ecfb"), deep: hex("#0a5d94"),
    traces: ["#c2185b", "#00695c", "#5e35b1", "#bf5b04", "#37474f"], curves: ["#0b5c8a", "#c2185b", "#7a8894"],
  },
  dark: {
    ink: "#e6edf3", quiet: "#9fb0bf", edge: "#37444f", halo: "rgba(16, 22, 28, 0.8)",
    rim: [...hex("#93a4b3"), 1], box: [...hex("#5d6d7b"), 1], point: hex("#10161c"), pointRim: hex("#e6edf3"),
    water: [...hex("#3f8fc4"), 0.22], bed: [...hex("#4a4336"), 0.92], grid: [...hex("#82765e"), 0.6],
    body: { dry: hex("#f0b429"), wet: hex("#a8690a"), line: hex("#05080b") },
    glyph: { dry: hex("#8b98a4"), wet: hex("#6a7783"), line: hex("#05080b") },
    rod: { dry: hex("#e3a857"), wet: hex("#3d8fbd"), line: hex("#05080b") },
    plain: [...hex("#b8c5d0"), 1], arrow: [...hex("#6db9ea"), 1], wind: [...hex("#aab4bd"), 1], picked: [...hex("#ff6fb5"), 1],
    lines: ["#7cc4ee", "#ff80ab", "#81c784", "#ffb74d", "#b39ddb", "#4dd0e1", "#bcaaa4", "#b0bec5"],
    shadow: [...hex("#000000"), 0.45], touchdown: hex("#ffc48a"), float: hex("#ff9a5c"), clump: hex("#9fb0bf"), sky: hex("#31587a"), deep: hex("#06304f"),
    traces: ["#ff80ab", "#4db6ac", "#b39ddb", "#ffb74d", "#cfd8dc"], curves: ["#7cc4ee", "#ff80ab", "#90a4ae"],
  },
};

const MARKS = { fixed: 0, free: 1, moving: 2 }; // other joints: 3
const LINE_WIDTH = 4, TWINE_WIDTH = 1.8, BOX_WIDTH = 1.2, TRACE_WIDTH = 1.6; // pixels
const DENSE = 5000, JOINED = 3, FINE_WIDTH = 2; // from so many segments on: those below so many pixels joined, finer lines
const RIPPLE = 0.012; // of the size of the scene: length of the ripples that are drawn on the water
const ARROW = 0.09; // of the size of the scene: longest arrow

class Viewer {
  constructor(scene, graphics, overlay) {
    this.scene = scene; this.graphics = graphics; this.overlay = overlay;
    this.camera = new Camera();
    this.variant = scene.variants[clamp(scene.first, 0, scene.variants.length - 1)];
    this.time = this.variant.time[0]; this.phase = 0;
    this.lift = 1; this.reach = 0;
    this.show = { labels: true, axes: true, water: true, bed: true, arrows: true, marks: true };
    this.colouring = "tension"; this.hand = null;
    this.picked = null; this.traces = scene.tracks.map((track) => ({ ...track }));
    this.low = scene.low; this.high = scene.high;
  }

  get size() { return norm(sub(this.high, this.low)); }

  get state() {
    if (this.variant.mode) return modeAt(this.variant, this.phase, this.reach);
    return stateAt(this.variant, this.time);
  }

  get range() {
    const { low, high } = this.scene.quantity;
    return high > low ? [low, high] : null;
  }

  fit(width, height, free) {
    const raise = (p) => [p[0], p[1], p[2] * this.lift];
    this.camera.fit(raise(this.low), raise(this.high), width, height, free);
  }

  // Direction to look from at first: the one nearest to the usual in which no line points at the eye.
  homeAngles() {
    const { scene } = this, [usual, pitch] = PRESETS.home, state = stateAt(this.variant, this.variant.time[0]), spans = [];
    for (let line = 0; line + 1 < scene.lineStart.length; line++) {
      const a = triple(state.position, scene.lineStart[line]), b = triple(state.position, scene.lineStart[line + 1] - 1);
      const flat = Math.hypot(b[0] - a[0], b[1] - a[1]);
      if (flat > 0.1 * this.size / 2) spans.push(Math.atan2(b[1] - a[1], b[0] - a[0]));
    }
    let best = usual, most = -1;
    for (let k = 0; k <= 24; k++) {
      const yaw = usual + (k % 2 ? -1 : 1) * Math.ceil(k / 2) * Math.PI / 24, squarely = Math.abs(Math.sin(2 * yaw)) < 0.2;
      const worst = spans.reduce((least, angle) => Math.min(least, Math.abs(Math.sin(angle - yaw))), squarely ? 0.7 : 1) * (squarely ? 0.7 : 1);
      if (worst > most + 0.06) { most = worst; best = yaw; }
    }
    const wide = Math.hypot(this.high[0] - this.low[0], this.high[1] - this.low[1]), tall = (this.high[2] - this.low[2]) * this.lift;
    return [best, tall < 0.25 * wide ? 0.46 : pitch];
  }

  draw(theme, free) {
    const { graphics, overlay, camera, scene } = this;
    graphics.resize();
    const width = graphics.canvas.clientWidth, height = graphics.canvas.clientHeight;
    camera.update(width, height);
    const state = this.state;
    graphics.begin(camera, theme, this.lift);
    graphics.setWaves(scene.sea.waves, this.time);
    const below = camera.pitch < 0 || !scene.sea.solid; // a bed that one sees through comes last
    if (!below) { this.bed(theme, below); this.shadows(state, theme); }
    this.walls(theme);
    this.water(theme); // before the lines, so that it does not change their colours
    this.surfaces(state, theme);
    this.ropes(state, theme);
    if (this.show.axes) this.box(theme);
    if (this.show.arrows) this.arrows(theme);
    this.points(state, theme);
    if (below) this.bed(theme, below);
    overlay.begin(theme);
    if (this.show.axes) overlay.axes(this.low, this.high, scene.origin, camera, this.lift);
    if (this.show.labels) overlay.labels(this.labels(state), camera);
    overlay.scaleBar(camera, [Math.min(free[2] - 20, 430), free[3] + 26]);
    return state;
  }

  surfaces(state, theme) {
    const { graphics, scene } = this, water = scene.sea.water;
    scene.bodies.forEach((body, k) => {
      const rows = rotationRows(fourfold(state.bodyQuaternion, k));
      const hull = body.facts.some(([label, text]) => label === "hull" && text !== "none");
      const tones = hull ? theme.body : theme.glyph;
      graphics.mesh(graphics.bodies[k], rows, triple(state.bodyPosition, k), tones, water && hull);
    });
    for (const shape of this.variant.rods) {
      graphics.mesh(graphics.rod(shape), [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0], theme.rod, water);
    }
  }

  ropes(state, theme) {
    const { graphics, scene, range } = this, twines = state.barTension.length > 0;
    if (scene.nets.length) graphics.lines(barSegments(scene, state), { width: TWINE_WIDTH, colour: theme.plain, range: twines ? range : null });
    const values = this.variant.mode ? state.tension : nodeValues(scene, this.variant, state, this.colouring);
    let segments = lineSegments(scene, state, values);
    const dense = segments.length / 8 > DENSE;
    if (dense) segments = joinedSegments(segments, this.camera, this.lift, JOINED);
    if (this.variant.mode) { // where it swings about
      graphics.lines(lineSegments(scene, stateAt(this.variant, 0)), { width: TRACE_WIDTH, colour: theme.box });
    }
    const picked = this.picked;
    if (picked && picked.kind === "line") {
      const from = scene.lineStart[picked.index], to = scene.lineStart[picked.index + 1];
      const chain = chainSegments(state.position.subarray(3 * from, 3 * to));
      graphics.gl.depthMask(false);
      graphics.lines(chain, { width: LINE_WIDTH + 5, colour: theme.picked });
      graphics.gl.depthMask(true);
    }
    const style = dense ? { width: FINE_WIDTH } : { width: LINE_WIDTH, rim: theme.rim };
    graphics.lines(segments, { colour: theme.plain, range, ...style });
    this.traces.forEach((trace, k) => {
      const colour = [...hex(theme.traces[k % theme.traces.length]), 1];
      graphics.lines(chainSegments(this.path(trace)), { width: TRACE_WIDTH, colour });
    });
  }

  box(theme) {
    const lowered = (p) => [p[0], p[1], p[2] / this.lift]; // edges come with heights as shown
    const edges = axisEdges(this.low, this.high, this.camera, this.lift), plain = {};
    for (const [name, edge] of Object.entries(edges)) plain[name] = edge.map(lowered);
    this.graphics.lines(boxSegments(this.low, this.high, plain), { width: BOX_WIDTH, colour: theme.box });
  }

  // Arrows of the current over the depth and of the wind above the water, at the corner up the stream.
  arrows(theme) {
    const { sea } = this.scene, current = sea.current.values, longest = ARROW * this.size;
    let fastest = 0;
    for (let i = 0; i < current.length; i += 3) fastest = Math.max(fastest, Math.hypot(current[i + 1], current[i + 2]));
    const corner = (u, v) => [u > 0 ? this.low[0] : this.high[0], v > 0 ? this.low[1] : this.high[1]];
    const out = [];
    for (let i = 0; i < current.length; i += 3) {
      const [z, u, v] = current.subarray(i, i + 3);
      const from = [...corner(current[1], current[2]), z];
      const floor = sea.bed ? sea.bed[0] + sea.bed[1] * from[0] + sea.bed[2] * from[1] : -Infinity;
      if (z < Math.max(this.low[2], floor) || fastest === 0) continue;
      out.push(...arrowSegments(from, [u * longest / fastest, v * longest / fastest, 0], this.camera));
    }
    this.graphics.lines(new Float32Array(out), { width: 2.2, colour: theme.arrow });
    const speed = Math.hypot(...sea.wind);
    if (speed > 0 && sea.water) {
      const from = [...corner(...sea.wind), 0.6 * this.high[2]], along = scale([...sea.wind, 0], longest / speed);
      this.graphics.lines(new Float32Array(arrowSegments(from, along, this.camera)), { width: 2.2, colour: theme.wind });
    }
  }

  get area() { return [this.low[0], this.low[1], this.high[0], this.high[1]]; }

  bed(theme, below) {
    const { graphics, scene, area } = this, { gl } = graphics;
    if (!scene.sea.bed || !this.show.bed) return;
    const step = roundStep(Math.max(area[2] - area[0], area[3] - area[1]), 10);
    gl.depthMask(!below);
    gl.enable(gl.POLYGON_OFFSET_FILL); // lines that lie on the bed must not flicker with it
    gl.polygonOffset(6, 16); // half the width of a line, in pixels of the slope
    const colour = below ? [...theme.bed.slice(0, 3), 0.25] : theme.bed;
    graphics.bed(area, scene.sea.bed, scene.origin.slice(0, 2), step, colour, theme.grid);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.depthMask(true);
  }

  // Where lines are above the bed, straight down: it shows how high they hang.
  shadows(state, theme) {
    const { scene, graphics } = this, { bed, solid } = scene.sea;
    if (!bed || !solid || !this.show.bed || state.position.length / 3 > DENSE) return;
    const segments = lineSegments(scene, state);
    for (let k = 0; k < segments.length; k += 4) segments[k + 2] = bed[0] + bed[1] * segments[k] + bed[2] * segments[k + 1];
    graphics.gl.depthMask(false);
    graphics.lines(segments, { width: 2, colour: theme.shadow });
    graphics.gl.depthMask(true);
  }

  water(theme) {
    if (!this.scene.sea.water || !this.show.water) return;
    this.graphics.water(this.area, theme, 2 * Math.PI / (RIPPLE * this.size), this.variant.mode ? 0 : this.time);
  }

  // Sides of the water behind everything: those whose outside faces away from the eye.
  walls(theme) {
    const { sea } = this.scene, [x0, y0, x1, y1] = this.area, { back } = this.camera.axes(), { eye, perspective } = this.camera;
    if (!sea.water || !this.show.water || this.camera.pitch < 0) return;
    const away = (normal, x, y) => (perspective ? normal[0] * (eye[0] - x) + normal[1] * (eye[1] - y) : normal[0] * back[0] + normal[1] * back[1]) < -1e-6;
    const edges = [];
    if (away([-1, 0], x0, y0)) edges.push([x0, y0, x0, y1]);
    if (away([1, 0], x1, y0)) edges.push([x1, y0, x1, y1]);
    if (away([0, -1], x0, y0)) edges.push([x0, y0, x1, y0]);
    if (away([0, 1], x0, y1)) edges.push([x0, y1, x1, y1]);
    this.graphics.walls(edges, sea.bed || [-1e9, 0, 0], this.low[2], theme);
  }

  points(state, theme) {
    if (this.show.marks) this.extras(state, theme);
    const marks = [];
    this.scene.points.forEach((point, k) => {
      marks.push(...triple(state.points, k), MARKS[point.kind] ?? 3);
    });
    this.graphics.marks(new Float32Array(marks), 9, theme.point, theme.pointRim);
    const place = this.pickedPlace(state);
    if (place) this.graphics.marks(new Float32Array([...place, 1]), 8, theme.picked.slice(0, 3), theme.pointRim);
  }

  // Where lines leave the bed now, in metres of the world.
  touchdowns() {
    return touchdowns(this.scene, this.state, 1e-3 * this.size).map((place) => add(place, this.scene.origin));
  }

  // Touchdown points, floats and clumps on lines, and the hand.
  extras(state, theme) {
    const { graphics, scene } = this, flat = (places, kind) => new Float32Array(places.flatMap((p) => [...p, kind]));
    const touching = this.variant.mode ? [] : touchdowns(scene, state, 1e-3 * this.size);
    graphics.marks(flat(touching, 4), 8, theme.touchdown, theme.touchdown);
    const places = scene.attachments.map((item) => placeOn(scene, state, item.line, item.s));
    graphics.marks(flat(places.filter((_, k) => scene.attachments[k].kind === "float"), 1), 10, theme.float, theme.pointRim);
    graphics.marks(flat(places.filter((_, k) => scene.attachments[k].kind !== "float"), 3), 9, theme.clump, theme.pointRim);
    if (this.hand) {
      const hold = scene.held ? this.heldPlace(state) : null;
      if (hold) graphics.lines(new Float32Array([...hold, 0, ...this.hand, 0]), { width: 1.5, colour: theme.picked });
      graphics.marks(flat([this.hand], 4), 10, theme.picked.slice(0, 3), theme.picked.slice(0, 3));
    }
  }

  heldPlace(state) {
    const { kind, index } = this.scene.held;
    return triple(kind === "point" ? state.points : state.bodyPosition, index);
  }

  pickedPlace(state) {
    const picked = this.picked;
    if (!picked) return null;
    if (picked.kind === "point") return triple(state.points, picked.index);
    if (picked.kind === "line") return triple(state.position, picked.node);
    return null;
  }

  // Path of a traced part over all frames.
  path(trace) {
    const name = { line: "position", point: "points", body: "body_position" }[trace.kind];
    const series = seriesOf(this.variant, name, trace.kind === "line" ? trace.node : trace.index, 3);
    return series ? series.values : new Float32Array(0);
  }

  labels(state) {
    const out = [], raised = (p) => [p[0], p[1], p[2] * this.lift];
    this.scene.bodies.forEach((body, k) => out.push({ text: body.name, place: raised(triple(state.bodyPosition, k)) }));
    for (const shape of this.variant.rods) {
      const i = Math.floor(shape.vertices.length / 6) * 3;
      out.push({ text: this.scene.rods[shape.rod].name, place: raised(shape.vertices.subarray(i, i + 3)) });
    }
    this.scene.nets.forEach((net, k) => {
      const knot = this.scene.bars[2 * this.scene.barStart[k]];
      if (knot !== undefined) out.push({ text: net.name, place: raised(triple(state.knots, knot)) });
    });
    this.scene.points.forEach((point, k) => out.push({ text: point.name, place: raised(triple(state.points, k)) }));
    if (this.show.marks) {
      for (const item of this.scene.attachments) out.push({ text: item.label, place: raised(placeOn(this.scene, state, item.line, item.s)) });
    }
    this.scene.lines.forEach((line, k) => {
      const i = (this.scene.lineStart[k] + this.scene.lineStart[k + 1]) >> 1;
      if (3 * i + 3 <= state.position.length) out.push({ text: line.name, place: raised(triple(state.position, i)) });
    });
    return out;
  }
}

// A shaft and two barbs that lie across the line of sight.
function arrowSegments(from, along, camera) {
  const to = add(from, along), size = norm(along);
  if (size === 0) return [];
  const side = unit(cross(along, camera.axes().back)), out = [...from, 0, ...to, 0];
  for (const sign of [-1, 1]) {
    const barb = add(to, add(scale(along, -0.22), scale(side, sign * 0.1 * size)));
    out.push(...to, 0, ...barb, 0);
  }
  return out;
}
