/** The page of a folder in the done folder. */
export const addressOf = (path: string): string =>
  path ? `/done?${new URLSearchParams({ path }).toString()}` : '/done';
