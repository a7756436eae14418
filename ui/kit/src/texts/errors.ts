import { ApiError } from '../api/error.ts';
import { bytes } from '../format/sizes.ts';
import * as kitMessages from '../paraglide/messages.js';

export type Inputs = Record<string, unknown>;
type Catalog = Record<string, unknown>;
type Message = (inputs: Inputs) => string;

const SIZES = new Set(['limit', 'needed', 'free']);

let appMessages: Catalog = {};

/** Makes the app's own texts known; they win over the kit's. */
export function useCatalog(messages: object): void {
  appMessages = messages as Catalog;
}

/** What to tell the person about a failure, in their language. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return codeText(error.code, error.inputs);
  return codeText('unknown', { code: error instanceof Error ? error.message : String(error) });
}

export function codeText(code: string, inputs: Inputs = {}): string {
  const message = find(`error_${code}`);
  return message ? message(readable(inputs)) : kitMessages.error_unknown({ code });
}

function find(key: string): Message | undefined {
  const message = appMessages[key] ?? (kitMessages as Catalog)[key];
  return typeof message === 'function' ? (message as Message) : undefined;
}

/** Sizes arrive as numbers of bytes; a dash stands for an input that did not come along. */
function readable(inputs: Inputs): Inputs {
  return new Proxy(inputs, {
    get(given, name) {
      const value = given[String(name)] ?? '–';
      return typeof value === 'number' && SIZES.has(String(name)) ? bytes(value) : value;
    },
  });
}
