/** Formats the start time of a run in UTC, as is usual for models. */
export function runText(run: number, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  });
  return `${format.format(run * 1000)} UTC`;
}
