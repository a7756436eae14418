const LINK = /(?<![a-z0-9+.-])(?:https?|ftp):\/\/[^\s"<>]+/gi;
const JOINED = /[,;|]+(?=(?:https?|ftp):\/\/)/i;

/** The distinct links in a text, only for counting; the server parses the text itself. */
export function linksIn(text: string): string[] {
  const found = [...text.matchAll(LINK)].flatMap(([link]) => link.split(JOINED));
  return [...new Set(found)];
}
