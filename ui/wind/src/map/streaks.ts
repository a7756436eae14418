import type { ThemeName } from '../look/force.ts';
import { Program } from './program.ts';
import { NUMBERS_PER_PIECE, TAIL, type Swarm } from './swarm.ts';

// Each tail segment is a thin rectangle, because WebGL lines are only one pixel wide.
const VERTEX = `
in vec4 a_ends;
in float a_strength;
uniform mat4 u_matrix;
uniform vec2 u_size;
uniform float u_width;
out float v_strength;
void main() {
  vec4 first = u_matrix * vec4(a_ends.xy, 0.0, 1.0);
  vec4 second = u_matrix * vec4(a_ends.zw, 0.0, 1.0);
  vec2 along = (second.xy / second.w - first.xy / first.w) * u_size;
  float pixels = length(along);
  vec2 side = pixels > 0.0001 ? vec2(-along.y, along.x) / pixels : vec2(0.0);
  vec4 end = (gl_VertexID & 1) == 0 ? first : second;
  float turn = gl_VertexID < 2 ? 1.0 : -1.0;
  end.xy += side * turn * u_width / u_size * end.w;
  v_strength = a_strength;
  gl_Position = end;
}`;

const FRAGMENT = `
in float v_strength;
uniform vec4 u_ink;
out vec4 colour;
void main() {
  colour = vec4(u_ink.rgb, 1.0) * u_ink.a * v_strength;
}`;

const INKS: Record<ThemeName, [number, number, number, number]> = {
  light: [0.07, 0.12, 0.22, 0.6],
  dark: [1, 1, 1, 0.7],
};

/** Draws the particle tails. */
export class Streaks {
  readonly #program: Program;
  readonly #buffer: WebGLBuffer;
  readonly #array: WebGLVertexArrayObject;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.#program = new Program(gl, VERTEX, FRAGMENT);
    this.#buffer = gl.createBuffer();
    this.#array = gl.createVertexArray();
    const bytes = NUMBERS_PER_PIECE * 4;
    gl.bindVertexArray(this.#array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffer);
    this.#attribute('a_ends', 4, bytes, 0);
    this.#attribute('a_strength', 1, bytes, 16);
    gl.bindVertexArray(null);
  }

  #attribute(name: string, size: number, bytes: number, offset: number): void {
    const place = this.#program.attribute(name);
    this.gl.enableVertexAttribArray(place);
    this.gl.vertexAttribPointer(place, size, this.gl.FLOAT, false, bytes, offset);
    this.gl.vertexAttribDivisor(place, 1);
  }

  draw(swarm: Swarm, matrix: Float32Array, ground: ThemeName): void {
    const { gl } = this;
    this.#program.use();
    gl.bindVertexArray(this.#array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffer);
    gl.bufferData(gl.ARRAY_BUFFER, swarm.pieces, gl.STREAM_DRAW);
    gl.uniformMatrix4fv(this.#program.uniform('u_matrix'), false, matrix);
    gl.uniform2f(this.#program.uniform('u_size'), gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform1f(this.#program.uniform('u_width'), 1.4 * devicePixelRatio);
    gl.uniform4f(this.#program.uniform('u_ink'), ...INKS[ground]);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, swarm.count * TAIL);
    gl.bindVertexArray(null);
  }

  delete(): void {
    this.gl.deleteBuffer(this.#buffer);
    this.gl.deleteVertexArray(this.#array);
    this.#program.delete();
  }
}
