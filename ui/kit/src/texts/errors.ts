import { ApiError } from '../api/error.ts';
import { bytes } from '../format/sizes.ts';
import * as kitMessages from '../paraglide/messages.js';

export type Inputs = Record<string, unknown>;
type Catalog = Record<string, unknown>;
type Message = (inputs: Inputs) => string;

const SIZES = new Set(['needed', 'free']);
/** Only here a limit is a size; elsewhere it is a number of things. */
const TOO_LARGE = new Set([...SIZES, 'limit']);

let appMessages: Catalog = {};

/** Makes the app's own texts known; they win over the kit's. */
export function useCatalog(messages: object): void {
  appMessages = messages as Catalog;
}

/** A failure that the app explains itself, such as a device that has refused. */
export class Explained extends Error {
  /** `field` is the one of a form that it belongs to. */
  constructor(
    readonly text: () => string,
    readonly field?: string,
  ) {
    super(text());
    this.name = 'Explained';
  }
}

/** What to tell the person about a failure, in their language. */
export function errorText(error: unknown): string {
  if (error instanceof Explained) return error.text();
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

/** Sizes arrive as numbers of bytes; a dash stands for an input that did not come along. */
function readable(inputs: Inputs, sizes: Set<string>): Inputs {
  return new Proxy(inputs, {
    get(given, name) {
      const value = given[String(name)] ?? '–';
      return typeof value === 'number' && sizes.has(String(name)) ? bytes(value) : value;
    },
  });
}
