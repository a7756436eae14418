import { ApiError } from '../api/error.ts';
import { bytes } from '../format/sizes.ts';
import * as kitMessages from '../paraglide/messages.js';

export type Inputs = Record<string, unknown>;
type Catalog = Record<string, unknown>;
type Message = (inputs: Inputs) => string;

const SIZES = new Set(['needed', 'free', 'reserve']);
/** Codes whose `limit` is a size in bytes; elsewhere it is a count. */
const TOO_LARGE = new Set([...SIZES, 'limit']);

let appMessages: Catalog = {};

/** Registers the app's texts; they take precedence over the kit's. */
export function registerMessages(messages: object): void {
  appMessages = messages as Catalog;
}

/** An error that the app explains itself, such as a refusal of a device. */
export class ExplainedError extends Error {
  /** `field` is the form field that the error belongs to. */
  constructor(
    readonly text: () => string,
    readonly field?: string,
  ) {
    super(text());
    this.name = 'ExplainedError';
  }
}

/** Returns the text of an error in the current language. */
export function errorText(error: unknown): string {
  if (error instanceof ExplainedError) return error.text();
  if (error instanceof ApiError) return codeText(error.code, error.inputs);
  return codeText('unknown', { code: error instanceof Error ? error.message : String(error) });
}

export function codeText(code: string, inputs: Inputs = {}): string {
  const message = find(`error_${code}`);
  const sizes = code === 'too_large' ? TOO_LARGE : SIZES;
  return message ? message(readable(inputs, sizes)) : kitMessages.error_unknown({ code });
}

function find(key: string): Message | undefined {
  const message = appMessages[key] ?? (kitMessages as Catalog)[key];
  return typeof message === 'function' ? (message as Message) : undefined;
}

/** Formats byte counts as sizes; missing inputs become a dash. */
function readable(inputs: Inputs, sizes: Set<string>): Inputs {
  return new Proxy(inputs, {
    get(given, name) {
      const value = given[String(name)] ?? '–';
      return typeof value === 'number' && sizes.has(String(name)) ? bytes(value) : value;
    },
  });
}
