import * as m from '../paraglide/messages.js';

const TEXTS: Record<string, () => string> = {
  outdated: m.notice_outdated,
  partial: m.notice_partial,
  gust_missing: m.notice_gust_missing,
  gust_partial: m.notice_gust_partial,
  no_forecast: m.notice_no_forecast,
  few_samples: m.notice_few_samples,
  gauge_outdated: m.notice_gauge_outdated,
  gauge_series_missing: m.notice_series_missing,
};

const SHORT: Record<string, () => string> = {
  outdated: m.short_outdated,
  partial: m.short_partial,
  gust_missing: m.short_gust_missing,
  gust_partial: m.short_gust_partial,
};

/** Returns the text of a server notice, or the code if this page does not know it. */
export function noticeText(code: string): string {
  return TEXTS[code]?.() ?? code;
}

export function shortNotice(code: string): string {
  return SHORT[code]?.() ?? code;
}
