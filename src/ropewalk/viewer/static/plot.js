// A small plot of the tension of a picked line over time.

const ROOM = { left: 44, right: 8, top: 8, bottom: 20 };

class Plot {
  constructor(canvas, seek) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.curves = [];
    const jump = (event) => {
      if (!this.time || (event.type === "pointermove" && !event.buttons)) return;
      const box = canvas.getBoundingClientRect(), width = box.width - ROOM.left - ROOM.right;
      const share = clamp((event.clientX - box.left - ROOM.left) / width, 0, 1);
      seek(this.time[0] + share * (this.time[this.time.length - 1] - this.time[0]));
    };
    canvas.addEventListener("pointerdown", jump);
    canvas.addEventListener("pointermove", jump);
  }

  // curves: [{values, colour}], in newtons
  set(time, curves) {
    this.time = time;
    this.curves = curves;
    this.low = Infinity; this.high = -Infinity;
    for (const curve of curves) {
      for (const value of curve.values) { this.low = Math.min(this.low, value); this.high = Math.max(this.high, value); }
    }
    this.low = Math.min(this.low, 0);
    if (!(this.high > this.low)) this.high = this.low + 1;
  }

  draw(now, theme) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2), canvas = this.canvas, pen = this.pen;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!this.time || !width) return;
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "11px system-ui, 'Segoe UI', Roboto, Arial, sans-serif";
    const first = this.time[0], span = this.time[this.time.length - 1] - first || 1;
    const x = (t) => ROOM.left + (t - first) / span * (width - ROOM.left - ROOM.right);
    const y = (v) => height - ROOM.bottom - (v - this.low) / (this.high - this.low) * (height - ROOM.top - ROOM.bottom);
    const [factor, letter] = prefix(Math.max(Math.abs(this.low), Math.abs(this.high)));
    pen.strokeStyle = theme.edge; pen.fillStyle = theme.quiet; pen.lineWidth = 1;
    pen.textBaseline = "middle"; pen.textAlign = "right";
    const step = roundStep((this.high - this.low) * factor, 4), places = decimals(step);
    for (let k = Math.ceil(this.low * factor / step); k * step <= this.high * factor + 1e-9 * step; k++) {
      const at = y(k * step / factor);
      pen.beginPath(); pen.moveTo(ROOM.left, at); pen.lineTo(width - ROOM.right, at); pen.stroke();
      pen.fillText((k * step).toFixed(places), ROOM.left - 4, at);
    }
    pen.textAlign = "center"; pen.textBaseline = "top";
    const beat = roundStep(span, 4);
    for (let k = Math.ceil(first / beat); k * beat <= first + span + 1e-9 * beat; k++) {
      pen.fillText((k * beat).toFixed(decimals(beat)), clamp(x(k * beat), ROOM.left, width - 14), height - ROOM.bottom + 5);
    }
    for (const curve of this.curves) this.curve(curve, x, y);
    pen.strokeStyle = theme.ink;
    pen.beginPath(); pen.moveTo(x(now), ROOM.top); pen.lineTo(x(now), height - ROOM.bottom); pen.stroke();
    this.unit = `${letter}N`;
  }

  curve(curve, x, y) {
    const pen = this.pen;
    pen.strokeStyle = curve.colour; pen.lineWidth = 1.3; pen.lineJoin = "round";
    pen.beginPath();
    curve.values.forEach((value, i) => (i ? pen.lineTo(x(this.time[i]), y(value)) : pen.moveTo(x(this.time[0]), y(value))));
    pen.stroke();
  }
}
