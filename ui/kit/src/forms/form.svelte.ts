import { ApiError } from '../api/error.ts';
import { errorText, ExplainedError } from '../texts/errors.ts';

/** State of a form: busy while it is sent, and the server's error at the right field. */
export class Form {
  #busy = $state(false);
  #error = $state.raw<unknown>();
  readonly #fields: Record<string, string>;

  /** `fields` maps error codes to fields; codes that name a field need no entry. */
  constructor(fields: Record<string, string> = {}) {
    this.#fields = fields;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Submits the form, one request at a time; the input is kept on failure. */
  async send(event: SubmitEvent, action: () => Promise<unknown>): Promise<boolean> {
    event.preventDefault();
    if (this.#busy) return false;
    const form = event.currentTarget as HTMLFormElement;
    this.#busy = true;
    this.#error = undefined;
    try {
      await action();
      return true;
    } catch (error) {
      this.#error = error;
      queueMicrotask(() => this.#focus(form));
      return false;
    } finally {
      this.#busy = false;
    }
  }

  /** Clears the last error. */
  reset(): void {
    this.#error = undefined;
  }

  /** Returns the error text for a field. */
  at(name: string): string | undefined {
    return this.#error && this.#field === name ? errorText(this.#error) : undefined;
  }

  /** The error that belongs to no field. */
  get rest(): string | undefined {
    return this.#error && !this.#field ? errorText(this.#error) : undefined;
  }

  get #field(): string | undefined {
    if (this.#error instanceof ExplainedError) return this.#error.field;
    if (!(this.#error instanceof ApiError)) return undefined;
    const named = this.#error.inputs.field;
    return typeof named === 'string' ? named : this.#fields[this.#error.code];
  }

  #focus(form: HTMLFormElement): void {
    if (this.#field)
      form.querySelector<HTMLElement>(`[name="${CSS.escape(this.#field)}"]`)?.focus();
  }
}
