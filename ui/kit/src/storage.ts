/** Reads and saves a choice in this browser; ignored if storage is blocked. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(`quartet.${key}`);
  } catch {
    return null;
  }
}

export function store(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`quartet.${key}`);
    else localStorage.setItem(`quartet.${key}`, value);
  } catch {
    // The choice then lasts until the page is closed.
  }
}
