/** What the address says when a page opens. */
export function first(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? '';
}

/**
 * Keeps choices in the address, so that they survive a reload.
 *
 * Past the router: a page it knows of begins anew with another query, and whoever is typing would
 * lose the field.
 */
export function keep(choices: Record<string, string | number | null>): void {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(choices)) {
    if (value === null || value === '') address.searchParams.delete(name);
    else address.searchParams.set(name, String(value));
  }
  history.replaceState(null, '', address);
}
