// The end of a path says most about it, so it stays visible.
const END_CHARACTERS = 16;

/** Divides a path into a beginning that may be shortened, and its last names. */
export function splitPath(path: string): [start: string, end: string] {
  const names = path.split(/(?=[/\\])/);
  let end = names.pop() ?? '';
  while (names.length > 1 && end.length + names[names.length - 1]!.length <= END_CHARACTERS)
    end = names.pop()! + end;
  return [names.join(''), end];
}
