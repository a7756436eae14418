import { ApiError, language, router } from '@quartet/kit';
import { session } from '../service.ts';
import type { MomentPreview } from './types.ts';

const IMAGES = /\.(avif|bmp|gif|jpe?g|png|webp)$/i;

export const isImage = (path: string): boolean => IMAGES.test(path);

interface Place {
  folderId: number;
  path: string;
  /** The time of a version; without it, the current file. */
  at?: number;
}

/** The address of a file on the hub: for saving, or for showing an image. */
export function contentUrl({ folderId, path, at }: Place, inline = false): string {
  const query = new URLSearchParams({ path });
  if (at !== undefined) query.set('at', String(at));
  if (inline) query.set('inline', 'true');
  return router.href(`/api/folders/${folderId}/files/content?${query}`);
}

export const zipUrl = (folderId: number, path: string): string =>
  router.href(`/api/folders/${folderId}/files/zip?${new URLSearchParams({ path })}`);

/** Date and time with seconds: two devices may change a file within a minute. */
export const exactTime = (unix: number): string =>
  new Intl.DateTimeFormat(language.locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    unix * 1000,
  );

/** The value of an input for date and time, in the time zone of the browser. */
export function localInput(unix: number): string {
  const offset = new Date(unix * 1000).getTimezoneOffset() * 60;
  return new Date((unix - offset) * 1000).toISOString().slice(0, 19);
}

export const fromLocalInput = (text: string): number => Math.floor(Date.parse(text) / 1000);

/** The time today when people begin to work, or midnight before that. */
export function thisMorning(now: Date): number {
  const morning = new Date(now);
  morning.setHours(6, 0, 0, 0);
  if (morning > now) morning.setHours(0, 0, 0, 0);
  return Math.floor(morning.getTime() / 1000);
}

/** The same time on the day before. */
export function yesterday(now: Date): number {
  const before = new Date(now);
  before.setDate(before.getDate() - 1);
  return Math.floor(before.getTime() / 1000);
}

/** Returns null if the file is not a text. */
export async function readText(place: Place): Promise<string | null> {
  const response = await fetch(contentUrl(place));
  if (!response.ok) throw await ApiError.from(response);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** Stores a file in a folder of the hub; a file of this name becomes a version. */
export async function uploadFile(folderId: number, folder: string, file: File): Promise<void> {
  const path = folder ? `${folder}/${file.name}` : file.name;
  const response = await fetch(contentUrl({ folderId, path }), {
    method: 'PUT',
    body: file,
    headers: {
      'Content-Type': 'application/octet-stream',
      'X-CSRF-Token': session.state?.csrfToken ?? '',
    },
  });
  if (!response.ok) throw await ApiError.from(response);
}

/** The address of a share link; the part after # never reaches a log. */
export const linkUrl = (token: string): string =>
  `${new URL(router.href('/s'), location.href).href}#${token}`;

/** Returns true if the whole folder had no files at the time to which it is rolled back. */
export const emptiesFolder = ({ restored, replaced, removed, kept }: MomentPreview): boolean =>
  removed > 0 && restored + replaced + kept === 0;
