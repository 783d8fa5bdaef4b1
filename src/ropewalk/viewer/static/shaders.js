// Programs of the graphics card. Places are in metres of the page; uLift exaggerates heights.

const HEAD = `#version 300 es
precision highp float;
precision highp int;
`;

// Sum of the wave components; texel k holds amplitude, kx, ky and the phase at this moment.
const WAVES = `
uniform highp sampler2D uWaves;
uniform int uWaveCount;
vec3 surface(vec2 p) {
  vec3 sum = vec3(0.0);
  for (int k = 0; k < uWaveCount; k++) {
    vec4 w = texelFetch(uWaves, ivec2(k, 0), 0);
    float theta = dot(w.yz, p) + w.w;
    sum += w.x * vec3(-w.yz * sin(theta), cos(theta));
  }
  return sum;
}
`;

const SOURCES = {
  // Segments as wide bands with round ends; the width is in pixels.
  lines: [`${HEAD}
    in vec2 aCorner; in vec4 aFrom; in vec4 aTo;
    uniform mat4 uMatrix; uniform vec2 uPixels; uniform float uWidth; uniform float uLift; uniform float uNear;
    out vec2 vAlong; out float vLength; out float vValue;
    void main() {
      vec4 a = uMatrix * vec4(aFrom.xy, aFrom.z * uLift, 1.0), b = uMatrix * vec4(aTo.xy, aTo.z * uLift, 1.0);
      if (a.w < uNear && b.w < uNear) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
      if (a.w < uNear) a = mix(b, a, (b.w - uNear) / (b.w - a.w));
      if (b.w < uNear) b = mix(a, b, (a.w - uNear) / (a.w - b.w));
      vec2 p = 0.5 * uPixels * a.xy / a.w, q = 0.5 * uPixels * b.xy / b.w;
      float size = distance(p, q), half_ = 0.5 * uWidth + 1.0;
      vec2 along = size > 1e-4 ? (q - p) / size : vec2(1.0, 0.0), across = vec2(-along.y, along.x);
      vec2 at = mix(p, q, aCorner.x) + along * half_ * (2.0 * aCorner.x - 1.0) + across * half_ * aCorner.y;
      vec4 end = aCorner.x < 0.5 ? a : b;
      gl_Position = vec4(at / (0.5 * uPixels) * end.w, end.z, end.w);
      vAlong = vec2(dot(at - p, along), dot(at - p, across));
      vLength = size;
      vValue = mix(aFrom.w, aTo.w, clamp(size > 1e-4 ? vAlong.x / size : 0.0, 0.0, 1.0));
    }`, `${HEAD}
    in vec2 vAlong; in float vLength; in float vValue;
    uniform sampler2D uMap; uniform vec2 uRange; uniform vec4 uColour; uniform float uWidth;
    uniform bool uMapped;
    out vec4 colour;
    void main() {
      float off = length(vec2(vAlong.x - clamp(vAlong.x, 0.0, vLength), vAlong.y)) - 0.5 * uWidth;
      float cover = clamp(0.5 - off, 0.0, 1.0);
      if (cover <= 0.0) discard;
      vec4 body = uColour;
      if (uMapped) {
        float x = clamp((vValue - uRange.x) / max(uRange.y - uRange.x, 1e-30), 0.0, 1.0);
        body = vec4(texture(uMap, vec2((255.0 * x + 0.5) / 256.0, 0.5)).rgb, 1.0);
      }
      colour = vec4(body.rgb, body.a * cover);
      gl_FragDepth = gl_FragCoord.z + (cover < 1.0 && uWidth > 3.0 ? 5e-4 : 0.0); // soft edges give way to the next segment
    }`],
  // Hulls and rods, the part under water in another tone, the waterline dark.
  mesh: [`${HEAD}${WAVES}
    in vec3 aPlace; in vec3 aNormal;
    uniform mat4 uMatrix; uniform mat3 uTurn; uniform vec3 uPlace; uniform float uLift;
    out vec3 vNormal; out float vHeight; out vec3 vWorld;
    void main() {
      vec3 world = uTurn * aPlace + uPlace;
      vHeight = world.z - surface(world.xy).z;
      vNormal = uTurn * aNormal / vec3(1.0, 1.0, uLift);
      vWorld = vec3(world.xy, world.z * uLift);
      gl_Position = uMatrix * vec4(vWorld, 1.0);
    }`, `${HEAD}
    in vec3 vNormal; in float vHeight; in vec3 vWorld;
    uniform vec3 uDry; uniform vec3 uWet; uniform vec3 uLine; uniform vec3 uEye; uniform vec3 uLight; uniform bool uWater;
    out vec4 colour;
    void main() {
      vec3 n = normalize(vNormal), view = normalize(uEye - vWorld);
      if (dot(n, view) < 0.0) n = -n;
      float light = 0.45 + 0.55 * clamp(0.5 + 0.5 * dot(n, uLight), 0.0, 1.0);
      float shine = 0.18 * pow(clamp(dot(reflect(-uLight, n), view), 0.0, 1.0), 24.0);
      vec3 tone = uDry;
      if (uWater) {
        float step_ = max(fwidth(vHeight), 1e-12);
        tone = mix(uWet, uDry, clamp(vHeight / step_ + 0.5, 0.0, 1.0));
        tone = mix(uLine, tone, clamp(abs(vHeight) / step_ - 1.0, 0.0, 1.0));
      }
      colour = vec4(tone * light + shine, 1.0);
    }`],
  // The water surface, see-through: more mirror where one looks along it, ripples that fade where they are finer than a pixel.
  water: [`${HEAD}${WAVES}
    in vec2 aShare;
    uniform mat4 uMatrix; uniform vec4 uArea; uniform float uLift;
    out vec3 vNormal; out vec3 vWorld;
    void main() {
      vec2 p = mix(uArea.xy, uArea.zw, aShare);
      vec3 s = surface(p);
      vNormal = vec3(-s.xy * uLift, 1.0);
      vWorld = vec3(p, s.z * uLift);
      gl_Position = uMatrix * vec4(vWorld, 1.0);
    }`, `${HEAD}
    in vec3 vNormal; in vec3 vWorld;
    uniform vec3 uEye; uniform vec3 uLight; uniform vec3 uDeep; uniform vec3 uSky; uniform bool uEdge; uniform float uRipple; uniform float uTime;
    out vec4 colour;
    void main() {
      if (uEdge) { colour = vec4(mix(uDeep, uSky, 0.35), 0.9); return; }
      vec2 p = vWorld.xy * uRipple, fine = fwidth(p);
      float keep = clamp(1.2 - 0.9 * max(fine.x, fine.y), 0.0, 1.0);
      vec2 slope = vec2(cos(p.x + 0.6 * p.y + 1.3 * uTime) + 0.7 * cos(1.7 * p.x - 1.1 * p.y - 1.7 * uTime),
                        cos(p.y - 0.5 * p.x - 1.1 * uTime) + 0.7 * cos(1.9 * p.y + 1.3 * p.x + 1.9 * uTime));
      vec3 n = normalize(vec3(normalize(vNormal).xy - 0.035 * keep * slope, 1.0)), view = normalize(uEye - vWorld);
      float facing = abs(dot(n, view)), away = 1.0 - facing, mirror = away * away * away;
      float spark = max(dot(reflect(-uLight, n), view), 0.0);
      spark *= spark; spark *= spark; spark *= spark; spark *= spark;
      vec3 tone = mix(uDeep, uSky, clamp(0.22 + 0.75 * mirror + 0.25 * (dot(n, uLight) - 0.6), 0.0, 1.0)) + 0.3 * spark;
      colour = vec4(tone, clamp(0.34 + 0.45 * mirror + 0.3 * spark, 0.0, 0.88));
    }`],
  // The far sides of the water, so that it has a depth: darker downwards.
  wall: [`${HEAD}${WAVES}
    in vec2 aShare;
    uniform mat4 uMatrix; uniform vec4 uFrom; uniform vec3 uPlane; uniform float uLift; uniform float uFloor;
    out float vDepth;
    void main() {
      vec2 p = mix(uFrom.xy, uFrom.zw, aShare.x);
      float top = surface(p).z, low = min(top, max(uFloor, uPlane.x + dot(uPlane.yz, p)));
      vDepth = 1.0 - aShare.y;
      gl_Position = uMatrix * vec4(p, mix(low, top, aShare.y) * uLift, 1.0);
    }`, `${HEAD}
    in float vDepth;
    uniform vec3 uDeep; uniform vec3 uSky;
    out vec4 colour;
    void main() { colour = vec4(mix(mix(uDeep, uSky, 0.55), uDeep, 0.8 * vDepth), 0.16 + 0.2 * vDepth); }`],
  // The bed: a plane of sand with a grid of metres, dimmer towards its edges.
  bed: [`${HEAD}
    in vec2 aShare;
    uniform mat4 uMatrix; uniform vec4 uArea; uniform vec3 uPlane; uniform float uLift; uniform vec2 uOrigin;
    out vec2 vMetres; out vec2 vShare;
    void main() {
      vec2 p = mix(uArea.xy, uArea.zw, aShare);
      vMetres = p + uOrigin; vShare = aShare;
      gl_Position = uMatrix * vec4(p, (uPlane.x + dot(uPlane.yz, p)) * uLift, 1.0);
    }`, `${HEAD}
    in vec2 vMetres; in vec2 vShare;
    uniform vec4 uColour; uniform vec4 uGrid; uniform float uStep;
    out vec4 colour;
    float grain(vec2 p) { return fract(sin(dot(floor(p), vec2(12.9898, 78.233))) * 43758.5453); }
    float soft(vec2 p) {
      vec2 f = fract(p), w = f * f * (3.0 - 2.0 * f);
      return mix(mix(grain(p), grain(p + vec2(1.0, 0.0)), w.x), mix(grain(p + vec2(0.0, 1.0)), grain(p + 1.0), w.x), w.y);
    }
    void main() {
      vec2 at = vMetres / uStep, width = max(fwidth(at), vec2(1e-9));
      vec2 off = abs(fract(at - 0.5) - 0.5) / width;
      float line = 1.0 - clamp(0.9 * min(off.x, off.y), 0.0, 1.0);
      line *= clamp(0.35 / max(width.x, width.y), 0.0, 1.0);
      float sand = soft(3.0 * at) * 0.6 + soft(11.0 * at) * 0.4 * clamp(1.5 - 12.0 * max(width.x, width.y), 0.0, 1.0);
      vec2 rim = 2.0 * abs(vShare - 0.5);
      float shade = (0.93 + 0.12 * sand) * (1.0 - 0.10 * max(rim.x, rim.y) * max(rim.x, rim.y));
      colour = vec4(mix(uColour.rgb * shade, uGrid.rgb, line * uGrid.a), uColour.a);
    }`],
  // Marks of points: a shape for each way a point is held.
  marks: [`${HEAD}
    in vec2 aCorner; in vec4 aPlace;
    uniform mat4 uMatrix; uniform vec2 uPixels; uniform float uSize; uniform float uLift;
    out vec2 vAt; flat out int vKind;
    void main() {
      vec4 p = uMatrix * vec4(aPlace.xy, aPlace.z * uLift, 1.0);
      vAt = aCorner * uSize; vKind = int(aPlace.w + 0.5);
      gl_Position = vec4(p.xy + aCorner * uSize / (0.5 * uPixels) * p.w, p.z - 1e-4 * p.w, p.w);
    }`, `${HEAD}
    in vec2 vAt; flat in int vKind;
    uniform float uSize; uniform vec3 uFill; uniform vec3 uRim;
    out vec4 colour;
    void main() {
      float r = 0.72 * uSize, off;
      if (vKind == 0) off = max(abs(vAt.x) * 0.866 + vAt.y * 0.5, -vAt.y) - 0.6 * r;
      else if (vKind == 1) off = length(vAt) - 0.8 * r;
      else if (vKind == 2) off = (abs(vAt.x) + abs(vAt.y)) * 0.7071 - 0.75 * r;
      else if (vKind == 4) off = abs(length(vAt) - 0.75 * r) - 0.16 * r;
      else off = max(abs(vAt.x), abs(vAt.y)) - 0.7 * r;
      float cover = clamp(0.5 - off, 0.0, 1.0);
      if (cover <= 0.0) discard;
      colour = vec4(mix(uFill, uRim, clamp(off + 2.2, 0.0, 1.0)), cover);
    }`],
};
