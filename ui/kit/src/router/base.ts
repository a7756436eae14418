/** The path of the app on its host, with a slash at both ends; the server writes it into <base>. */
export const base: string = globalThis.document ? new URL('.', document.baseURI).pathname : '/';
