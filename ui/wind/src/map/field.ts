import { forceColour, STRONGEST, type ThemeName } from '../look/force.ts';
import { xOf, yOf } from './mercator.ts';
import { Program } from './program.ts';
import { layerColour, SCALES, type LayerName } from '../look/scales.ts';
import type { LayerSheet, Sheet } from './flow.ts';

const VERTEX = `
in vec2 a_corner;
uniform mat4 u_matrix;
uniform vec4 u_box;
out vec2 v_world;
void main() {
  v_world = mix(u_box.xy, u_box.zw, a_corner);
  gl_Position = u_matrix * vec4(v_world, 0.0, 1.0);
}`;

// Texture rows are evenly spaced in latitude, map rows are not: each pixel looks up its own
// latitude.
const FRAGMENT = `
in vec2 v_world;
uniform sampler2D u_wind;
uniform sampler2D u_colours;
uniform vec4 u_bounds;
uniform vec4 u_reading;
uniform float u_strongest;
uniform float u_opacity;
// Of a layer: its lowest and highest value, and whether small values take up more of the scale.
uniform bool u_layer;
uniform vec2 u_range;
uniform bool u_root;
out vec4 colour;
const float PI = 3.141592653589793;
void main() {
  float lon = v_world.x * 360.0 - 180.0;
  float lat = degrees(2.0 * atan(exp(PI * (1.0 - 2.0 * v_world.y))) - PI / 2.0);
  vec2 at = vec2((lon - u_bounds.x) / (u_bounds.z - u_bounds.x),
                 (u_bounds.w - lat) / (u_bounds.w - u_bounds.y));
  vec4 wind = texture(u_wind, at);
  if (wind.a < 0.999) discard;
  vec2 values = u_reading.xy + u_reading.zw * wind.rg * 255.0;
  float share = u_layer
    ? clamp((values.x - u_range.x) / (u_range.y - u_range.x), 0.0, 1.0)
    : length(values) / u_strongest;
  vec4 shade = texture(u_colours, vec2(u_layer && u_root ? sqrt(share) : share, 0.5));
  float opacity = u_opacity * shade.a;
  colour = vec4(shade.rgb * opacity, opacity);
}`;

const COLOURS = 256;

const SPOT_ZOOM = 10;
const COUNTRY_ZOOM = 7;

/** The wind is half transparent where users look for a spot, and covers the map elsewhere. */
export function windOpacity(ground: ThemeName, zoom: number): number {
  const [far, near] = ground === 'light' ? [0.78, 0.5] : [0.7, 0.5];
  const share = (zoom - COUNTRY_ZOOM) / (SPOT_ZOOM - COUNTRY_ZOOM);
  return far + (near - far) * Math.min(Math.max(share, 0), 1);
}

type FieldSheet = Sheet | LayerSheet;
type Channel = LayerSheet['meta']['channel'];

function layerOf(sheet: FieldSheet | undefined): LayerName | undefined {
  return sheet && 'layer' in sheet.meta ? (sheet.meta.layer as LayerName) : undefined;
}

function readingOf({ meta }: FieldSheet): { u: Channel; v: Channel } {
  return 'layer' in meta ? { u: meta.channel, v: meta.channel } : meta.channels;
}

/** Draws the wind force, or a layer, as a colour field. */
export class Field {
  readonly #program: Program;
  readonly #corners: WebGLBuffer;
  readonly #array: WebGLVertexArrayObject;
  readonly #textures = new Map<string, WebGLTexture>();
  #colours: WebGLTexture;
  #mixed: string | undefined;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.#program = new Program(gl, VERTEX, FRAGMENT);
    this.#corners = gl.createBuffer();
    this.#array = gl.createVertexArray();
    this.#colours = gl.createTexture();
    gl.bindVertexArray(this.#array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#corners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(this.#program.attribute('a_corner'));
    gl.vertexAttribPointer(this.#program.attribute('a_corner'), 2, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
  }

  draw(sheets: FieldSheet[], matrix: Float32Array, ground: ThemeName, zoom: number): void {
    const { gl } = this;
    this.#forget(sheets);
    const layer = layerOf(sheets[0]);
    if (this.#mixed !== `${ground} ${layer}`) this.#mix(ground, layer);
    this.#program.use();
    gl.uniform1i(this.#program.uniform('u_layer'), layer ? 1 : 0);
    if (layer) {
      const { low, high, root } = SCALES[layer];
      gl.uniform2f(this.#program.uniform('u_range'), low, high);
      gl.uniform1i(this.#program.uniform('u_root'), root ? 1 : 0);
    }
    gl.bindVertexArray(this.#array);
    gl.uniformMatrix4fv(this.#program.uniform('u_matrix'), false, matrix);
    gl.uniform1f(this.#program.uniform('u_strongest'), STRONGEST);
    gl.uniform1f(this.#program.uniform('u_opacity'), windOpacity(ground, zoom));
    gl.uniform1i(this.#program.uniform('u_wind'), 0);
    gl.uniform1i(this.#program.uniform('u_colours'), 1);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.#colours);
    for (const sheet of sheets) this.#sheet(sheet);
    gl.bindVertexArray(null);
  }

  #sheet(sheet: FieldSheet): void {
    const { gl } = this;
    const { bounds } = sheet.meta;
    const { w, s, e, n } = sheet.area;
    const { u, v } = readingOf(sheet);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.#texture(sheet));
    gl.uniform4f(this.#program.uniform('u_box'), xOf(w), yOf(n), xOf(e), yOf(s));
    gl.uniform4f(this.#program.uniform('u_bounds'), bounds.w, bounds.s, bounds.e, bounds.n);
    gl.uniform4f(this.#program.uniform('u_reading'), u.offset, v.offset, u.scale, v.scale);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  #texture(sheet: FieldSheet): WebGLTexture {
    const { gl } = this;
    const known = this.#textures.get(sheet.key);
    if (known) return known;
    const made = gl.createTexture();
    const { width, height, wraps } = sheet.meta;
    this.#fill(made, width, height, new Uint8Array(sheet.pixels.buffer), wraps);
    this.#textures.set(sheet.key, made);
    return made;
  }

  #fill(
    texture: WebGLTexture,
    width: number,
    height: number,
    bytes: Uint8Array,
    wraps: boolean,
  ): void {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    const across = wraps ? gl.REPEAT : gl.CLAMP_TO_EDGE;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, across);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  }

  #mix(ground: ThemeName, layer: LayerName | undefined): void {
    this.#mixed = `${ground} ${layer}`;
    const bytes = new Uint8Array(COLOURS * 4);
    for (let index = 0; index < COLOURS; index++) {
      const share = index / (COLOURS - 1);
      const colour = layer
        ? layerColour(layer, share, ground)
        : [...forceColour(share * STRONGEST, ground), 1];
      bytes.set(
        colour.map((part) => Math.round(part * 255)),
        index * 4,
      );
    }
    this.gl.activeTexture(this.gl.TEXTURE0);
    this.#fill(this.#colours, COLOURS, 1, bytes, false);
  }

  /** Removes textures of other hours from the graphics card; their bytes are cached elsewhere. */
  #forget(sheets: FieldSheet[]): void {
    const wanted = new Set(sheets.map((sheet) => sheet.key));
    for (const [key, texture] of this.#textures) {
      if (wanted.has(key)) continue;
      this.gl.deleteTexture(texture);
      this.#textures.delete(key);
    }
  }

  delete(): void {
    this.#forget([]);
    this.gl.deleteTexture(this.#colours);
    this.gl.deleteBuffer(this.#corners);
    this.gl.deleteVertexArray(this.#array);
    this.#program.delete();
  }
}
