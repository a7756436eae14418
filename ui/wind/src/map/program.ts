/** A WebGL program with its uniforms by name. */
export class Program {
  readonly #program: WebGLProgram;
  readonly #uniforms = new Map<string, WebGLUniformLocation | null>();

  constructor(
    private readonly gl: WebGL2RenderingContext,
    vertex: string,
    fragment: string,
  ) {
    this.#program = gl.createProgram();
    for (const [kind, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${source}`);
      gl.compileShader(shader);
      gl.attachShader(this.#program, shader);
    }
    gl.linkProgram(this.#program);
    if (!gl.getProgramParameter(this.#program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getProgramInfoLog(this.#program) ?? 'link');
    }
  }

  use(): void {
    this.gl.useProgram(this.#program);
  }

  uniform(name: string): WebGLUniformLocation | null {
    if (!this.#uniforms.has(name)) {
      this.#uniforms.set(name, this.gl.getUniformLocation(this.#program, name));
    }
    return this.#uniforms.get(name)!;
  }

  attribute(name: string): number {
    return this.gl.getAttribLocation(this.#program, name);
  }

  delete(): void {
    this.gl.deleteProgram(this.#program);
  }
}
