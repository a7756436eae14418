// The end of a path says most about it, so this many characters stay visible.
const END_CHARACTERS = 16;

/** Divides a path into a beginning that may be shortened, and an end: its last names if they are
 *  short, otherwise the last characters of the last name. */
export function splitPath(path: string): [start: string, end: string] {
  const names = path.split(/(?=[/\\])/);
  let end = names.pop() ?? '';
  while (names.length > 1 && end.length + names[names.length - 1]!.length <= END_CHARACTERS)
    end = names.pop()! + end;
  // Not in the middle of a character of two units.
  const cut = [...end].slice(-END_CHARACTERS).join('');
  return [names.join('') + end.slice(0, end.length - cut.length), cut];
}
