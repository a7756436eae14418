const LINK = /(?<![a-z0-9+.-])(?:https?|ftp):\/\/[^\s"<>]+/gi;
const JOINED = /[,;|]+(?=(?:https?|ftp):\/\/)/i;

/** The links in a text, each once; only for counting, the server reads the text itself. */
export function linksIn(text: string): string[] {
  const found = [...text.matchAll(LINK)].flatMap(([link]) => link.split(JOINED));
  return [...new Set(found)];
}
