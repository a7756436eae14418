const LINK =
  /(?<![a-z0-9+.-])(?:(?:h(?:tt|xx|\*\*)ps?|f[tx]p|sftp):\/\/|(?<![@/])www\.(?=[a-z0-9-]+\.))[^\s"<>]+/gi;
const JOINED = /[,;|]+(?=(?:h(?:tt|xx|\*\*)ps?|f[tx]p|sftp):\/\/)/i;
// The addresses of trackers in a magnet link are no links.
const MAGNET = /magnet:\?[^\s"'<>]+/gi;
// The addresses that identify a format of XML.
const FORMATS = /<!DOCTYPE\b[^>]*>|\sxmlns(?::[\w.-]+)?\s*=\s*(?:"[^"]*"|'[^']*')/g;

/** Whether the text is an NZB file, which names articles of Usenet instead of links. */
export function isNzb(text: string): boolean {
  return /<nzb[\s>]/i.test(text);
}

/** The distinct links in a text, only for counting; the server parses the text itself. */
export function linksIn(text: string): string[] {
  if (isNzb(text)) return [];
  const magnets = [...text.matchAll(MAGNET)].map(([link]) => link);
  const rest = text.replaceAll(MAGNET, '').replaceAll(FORMATS, '');
  const found = [...rest.matchAll(LINK)].flatMap(([link]) => link.split(JOINED));
  return [...new Set([...found, ...magnets])];
}
