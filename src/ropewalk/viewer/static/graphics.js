// Drawing: what goes to the graphics card, and in which order.

class Graphics {
  constructor(canvas, scene) {
    // without a graphics card every sample costs: lines and marks smooth their own edges
    this.gl = canvas.getContext("webgl2", { antialias: !drawnBySoftware(), alpha: true, powerPreference: "high-performance" });
    if (!this.gl) throw new Error("no WebGL2");
    this.canvas = canvas;
    this.scene = scene;
    this.quality = 1; // share of the pixels along an edge, lowered while pictures come too slowly
    this.start();
  }

  // Everything that the card holds; called again if the card was lost.
  start() {
    const gl = this.gl, scene = this.scene;
    this.programs = {};
    for (const [name, sources] of Object.entries(SOURCES)) this.programs[name] = makeProgram(gl, sources);
    this.dynamic = gl.createBuffer();
    this.corners = this.quads = null; this.room = 0;
    this.square = makeBuffer(gl, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.unitSquare = makeBuffer(gl, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]));
    const along = Array.from({ length: WALL_CELLS + 1 }, (_, k) => [k / WALL_CELLS, 0, k / WALL_CELLS, 1]);
    this.strip = makeBuffer(gl, new Float32Array(along.flat()));
    this.map = makeMap(gl, scene.quantity.diverging ? scene.maps.diverging : scene.maps.sequential);
    this.waves = gl.createTexture();
    this.waveCount = 0;
    this.bodies = scene.bodies.map((body) => makeMesh(gl, body.shape));
    this.rods = new Map();
    this.grid = makeGrid(gl, scene.sea.waves ? scene.sea.waves.cells : 1);
    this.cells = scene.sea.waves ? scene.sea.waves.cells : 1;
  }

  // Another fineness of the water surface.
  setCells(cells) {
    if (cells === this.cells) return;
    for (const name of ["vertices", "triangles", "rim"]) this.gl.deleteBuffer(this.grid[name]);
    this.grid = makeGrid(this.gl, cells);
    this.cells = cells;
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * this.quality, canvas = this.canvas;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.max(1, Math.round(n * ratio)));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    this.ratio = ratio;
  }

  begin(camera, theme, lift) {
    const gl = this.gl;
    this.camera = camera; this.theme = theme; this.lift = lift;
    this.matrix = new Float32Array(camera.matrix);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  // Phases of the waves at time t, reduced here in double precision.
  setWaves(waves, t) {
    const gl = this.gl;
    this.waveCount = waves ? waves.amplitude.length : 0;
    const texels = new Float32Array(4 * Math.max(1, this.waveCount)), share = waves ? broughtOn(waves, t) : 1;
    for (let k = 0; k < this.waveCount; k++) {
      const phase = (waves.phase[k] - waves.omega[k] * t) % (2 * Math.PI);
      texels.set([share * waves.amplitude[k], waves.kx[k], waves.ky[k], phase], 4 * k);
    }
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.waves);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, texels.length / 4, 1, 0, gl.RGBA, gl.FLOAT, texels);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.activeTexture(gl.TEXTURE0);
  }

  use(name) {
    const program = this.programs[name], gl = this.gl;
    gl.useProgram(program.program);
    gl.uniformMatrix4fv(program.at("uMatrix"), false, this.matrix);
    gl.uniform1f(program.at("uLift"), this.lift);
    return program;
  }

  waveUniforms(program) {
    this.gl.uniform1i(program.at("uWaves"), 1);
    this.gl.uniform1i(program.at("uWaveCount"), this.waveCount);
  }

  // options: width in CSS pixels, colour or range, rim: colour of a seam drawn behind
  lines(segments, options) {
    if (!segments.length) return;
    if (options.rim) {
      this.gl.depthMask(false); // so that the seam of one segment never covers the next
      this.lines(segments, { width: options.width + 2, colour: options.rim });
      this.gl.depthMask(true);
    }
    const gl = this.gl, program = this.use("lines"), mapped = Boolean(options.range);
    gl.uniform2f(program.at("uPixels"), this.canvas.width, this.canvas.height);
    gl.uniform1f(program.at("uWidth"), Math.max(1, options.width * this.ratio));
    gl.uniform1f(program.at("uNear"), this.camera.near * (this.camera.perspective ? 1 : 0) + 1e-9);
    gl.uniform1i(program.at("uMapped"), mapped ? 1 : 0);
    gl.uniform2f(program.at("uRange"), ...(options.range || [0, 1]));
    gl.uniform4f(program.at("uColour"), ...(options.colour || [0, 0, 0, 1]));
    gl.uniform1i(program.at("uMap"), 0);
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    const count = segments.length / 8;
    this.roomFor(count);
    attribute(gl, program, "aCorner", this.corners, 2, 0, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.dynamic);
    gl.bufferData(gl.ARRAY_BUFFER, fourfoldSegments(segments), gl.STREAM_DRAW);
    attribute(gl, program, "aFrom", this.dynamic, 4, 32, 0, 0);
    attribute(gl, program, "aTo", this.dynamic, 4, 32, 16, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.quads);
    gl.drawElements(gl.TRIANGLES, 6 * count, gl.UNSIGNED_INT, 0);
    clearAttributes(gl, program);
  }

  // Corners and triangles of so many segments. Instances would need neither, but cost 15 us each without a graphics card.
  roomFor(count) {
    if (this.room >= count) return;
    const gl = this.gl, room = Math.max(256, 2 * count), corners = new Float32Array(8 * room), quads = new Uint32Array(6 * room);
    for (let k = 0; k < room; k++) {
      corners.set([0, -1, 1, -1, 0, 1, 1, 1], 8 * k);
      quads.set([4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 2, 4 * k + 1, 4 * k + 3], 6 * k);
    }
    gl.deleteBuffer(this.corners); gl.deleteBuffer(this.quads);
    this.corners = makeBuffer(gl, corners);
    this.quads = makeBuffer(gl, quads, gl.ELEMENT_ARRAY_BUFFER);
    this.room = room;
  }

  // places: [x, y, z, kind] of each mark
  marks(places, size, fill, rim) {
    if (!places.length) return;
    const gl = this.gl, program = this.use("marks");
    gl.uniform2f(program.at("uPixels"), this.canvas.width, this.canvas.height);
    gl.uniform1f(program.at("uSize"), size * this.ratio);
    gl.uniform3f(program.at("uFill"), ...fill);
    gl.uniform3f(program.at("uRim"), ...rim);
    attribute(gl, program, "aCorner", this.square, 2, 0, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.dynamic);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STREAM_DRAW);
    attribute(gl, program, "aPlace", this.dynamic, 4, 16, 0, 1);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, places.length / 4);
    clearAttributes(gl, program);
  }

  // tones: dry, wet; water: whether the surface cuts it
  mesh(mesh, rows, place, tones, water) {
    const gl = this.gl, program = this.use("mesh");
    this.waveUniforms(program);
    gl.uniformMatrix3fv(program.at("uTurn"), false, new Float32Array([0, 1, 2].flatMap((c) => rows.map((row) => row[c]))));
    gl.uniform3f(program.at("uPlace"), ...place);
    gl.uniform3f(program.at("uDry"), ...tones.dry);
    gl.uniform3f(program.at("uWet"), ...tones.wet);
    gl.uniform3f(program.at("uLine"), ...tones.line);
    gl.uniform3f(program.at("uEye"), ...this.camera.eye);
    gl.uniform3f(program.at("uLight"), ...this.camera.light);
    gl.uniform1i(program.at("uWater"), water ? 1 : 0);
    attribute(gl, program, "aPlace", mesh.vertices, 3, 0, 0, 0);
    attribute(gl, program, "aNormal", mesh.normals, 3, 0, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    clearAttributes(gl, program);
  }

  rod(shape) {
    if (!this.rods.has(shape)) this.rods.set(shape, makeMesh(this.gl, shape));
    return this.rods.get(shape);
  }

  bed(area, plane, origin, step, colour, grid) {
    const gl = this.gl, program = this.use("bed");
    gl.uniform4f(program.at("uArea"), ...area);
    gl.uniform3f(program.at("uPlane"), ...plane);
    gl.uniform2f(program.at("uOrigin"), ...origin);
    gl.uniform1f(program.at("uStep"), step);
    gl.uniform4f(program.at("uColour"), ...colour);
    gl.uniform4f(program.at("uGrid"), ...grid);
    attribute(gl, program, "aShare", this.unitSquare, 2, 0, 0, 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    clearAttributes(gl, program);
  }

  // ripple: rad/m of the finest ripples
  water(area, theme, ripple, time) {
    const gl = this.gl, program = this.use("water");
    this.waveUniforms(program);
    gl.uniform4f(program.at("uArea"), ...area);
    gl.uniform3f(program.at("uEye"), ...this.camera.eye);
    gl.uniform3f(program.at("uLight"), ...this.camera.light);
    gl.uniform3f(program.at("uDeep"), ...theme.deep);
    gl.uniform3f(program.at("uSky"), ...theme.sky);
    gl.uniform1f(program.at("uRipple"), ripple);
    gl.uniform1f(program.at("uTime"), time % (200 * Math.PI));
    attribute(gl, program, "aShare", this.grid.vertices, 2, 0, 0, 0);
    gl.uniform1i(program.at("uEdge"), 1);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.grid.rim);
    gl.drawElements(gl.LINE_LOOP, this.grid.rimCount, gl.UNSIGNED_INT, 0);
    gl.uniform1i(program.at("uEdge"), 0);
    gl.depthMask(false);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.grid.triangles);
    gl.drawElements(gl.TRIANGLES, this.grid.count, gl.UNSIGNED_INT, 0);
    gl.depthMask(true);
    clearAttributes(gl, program);
  }

  // The sides of the water that face away: edges [x, y, x, y] down to the bed or the floor of the box.
  walls(edges, plane, floor, theme) {
    const gl = this.gl, program = this.use("wall");
    this.waveUniforms(program);
    gl.uniform3f(program.at("uPlane"), ...plane);
    gl.uniform1f(program.at("uFloor"), floor);
    gl.uniform3f(program.at("uDeep"), ...theme.deep);
    gl.uniform3f(program.at("uSky"), ...theme.sky);
    attribute(gl, program, "aShare", this.strip, 2, 0, 0, 0);
    gl.depthMask(false);
    for (const edge of edges) {
      gl.uniform4f(program.at("uFrom"), ...edge);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 2 * (WALL_CELLS + 1));
    }
    gl.depthMask(true);
    clearAttributes(gl, program);
  }
}

const WALL_CELLS = 48; // along each side of the water

// Each segment four times, once for each corner of its band.
function fourfoldSegments(segments) {
  const out = new Float32Array(4 * segments.length);
  for (let k = 0; k < segments.length; k += 8) {
    const one = segments.subarray(k, k + 8);
    for (let c = 0; c < 4; c++) out.set(one, 4 * k + 8 * c);
  }
  return out;
}

// Whether the browser draws without a graphics card.
function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), told = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const name = told ? String(gl.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  if (gl && gl.getExtension("WEBGL_lose_context")) gl.getExtension("WEBGL_lose_context").loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

function makeProgram(gl, [vertex, fragment]) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const known = new Map();
  return {
    program,
    attributes: [],
    at(name) {
      if (!known.has(name)) known.set(name, gl.getUniformLocation(program, name));
      return known.get(name);
    },
  };
}

function makeBuffer(gl, values, target = gl.ARRAY_BUFFER) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, values, gl.STATIC_DRAW);
  return buffer;
}

function makeMesh(gl, shape) {
  return {
    vertices: makeBuffer(gl, shape.vertices),
    normals: makeBuffer(gl, shape.normals),
    triangles: makeBuffer(gl, shape.triangles, gl.ELEMENT_ARRAY_BUFFER),
    count: shape.triangles.length,
  };
}

function makeGrid(gl, cells) {
  const n = cells + 1, vertices = new Float32Array(2 * n * n), triangles = new Uint32Array(6 * cells * cells), rim = [];
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) vertices.set([i / cells, j / cells], 2 * (i * n + j));
  for (let i = 0, at = 0; i < cells; i++) {
    for (let j = 0; j < cells; j++, at += 6) {
      const a = i * n + j;
      triangles.set([a, a + n, a + n + 1, a, a + n + 1, a + 1], at);
    }
  }
  for (let i = 0; i < cells; i++) rim.push(i * n);
  for (let j = 0; j < cells; j++) rim.push(cells * n + j);
  for (let i = cells; i > 0; i--) rim.push(i * n + cells);
  for (let j = cells; j > 0; j--) rim.push(j);
  return {
    vertices: makeBuffer(gl, vertices),
    triangles: makeBuffer(gl, triangles, gl.ELEMENT_ARRAY_BUFFER),
    count: triangles.length,
    rim: makeBuffer(gl, new Uint32Array(rim), gl.ELEMENT_ARRAY_BUFFER),
    rimCount: rim.length,
  };
}

function makeMap(gl, values) {
  const texture = gl.createTexture(), texels = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) texels.set([values[3 * i], values[3 * i + 1], values[3 * i + 2], 255], 4 * i);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}

function attribute(gl, program, name, buffer, size, stride, offset, divisor) {
  const place = gl.getAttribLocation(program.program, name);
  if (place < 0) return;
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, size, gl.FLOAT, false, stride, offset);
  gl.vertexAttribDivisor(place, divisor);
  program.attributes.push(place);
}

function clearAttributes(gl, program) {
  for (const place of program.attributes) {
    gl.vertexAttribDivisor(place, 0);
    gl.disableVertexAttribArray(place);
  }
  program.attributes = [];
}
