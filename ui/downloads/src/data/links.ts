const LINK =
  /(?<![a-z0-9+.-])(?:(?:h(?:tt|xx|\*\*)ps?|f[tx]p|sftp):\/\/|(?<![@/])www\.(?=[a-z0-9-]+\.))[^\s"<>]+/gi;
const JOINED = /[,;|]+(?=(?:h(?:tt|xx|\*\*)ps?|f[tx]p|sftp):\/\/)/i;
// The addresses of trackers in a magnet link are no links.
const MAGNET = /magnet:\?[^\s"'<>]+/gi;

/** The distinct links in a text, only for counting; the server parses the text itself. */
export function linksIn(text: string): string[] {
  const magnets = [...text.matchAll(MAGNET)].map(([link]) => link);
  const rest = text.replaceAll(MAGNET, '');
  const found = [...rest.matchAll(LINK)].flatMap(([link]) => link.split(JOINED));
  return [...new Set([...found, ...magnets])];
}
