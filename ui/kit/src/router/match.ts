export type Params = Record<string, string>;

/** Matches a path against a pattern such as "/devices/:id"; null if it does not match. */
export function match(pattern: string, path: string): Params | null {
  const wanted = parts(pattern);
  const given = parts(path);
  if (wanted.length !== given.length) return null;
  const params: Params = {};
  for (const [index, want] of wanted.entries()) {
    const value = given[index] ?? '';
    if (want.startsWith(':')) params[want.slice(1)] = decode(value);
    else if (want !== value) return null;
  }
  return params;
}

function parts(path: string): string[] {
  return path.split('/').filter(Boolean);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Returns the path inside the app, or null for addresses outside of it. */
export function inside(base: string, pathname: string): string | null {
  if (`${pathname}/` === base) return '/';
  return pathname.startsWith(base) ? `/${pathname.slice(base.length)}` : null;
}

export type QueryChanges = Record<string, string | number | boolean | null | undefined>;

/** Returns a query with some values changed; null, undefined, false and '' remove the name. */
export function withQuery(search: string, changes: QueryChanges): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === false || value === '')
      query.delete(name);
    else query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `?${text}` : '';
}
