const LINK =
  /(?<![a-z0-9+.-])(?:(?:h(?:tt|xx|\*\*)ps?|f[tx]p):\/\/|(?<![@/])www\.(?=[a-z0-9-]+\.))[^\s"<>]+/gi;
const JOINED = /[,;|]+(?=(?:h(?:tt|xx|\*\*)ps?|f[tx]p):\/\/)/i;

/** The distinct links in a text, only for counting; the server parses the text itself. */
export function linksIn(text: string): string[] {
  const found = [...text.matchAll(LINK)].flatMap(([link]) => link.split(JOINED));
  return [...new Set(found)];
}
