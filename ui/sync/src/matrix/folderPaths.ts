/** Paths of folders on a device. */
import type { Device } from '../data/types.ts';

const separator = (device: Device): string => (device.os === 'windows' ? '\\' : '/');

/** The path of a folder with this name inside another one. */
export function folderPath(parent: string, name: string, device: Device): string {
  const slash = separator(device);
  const usable = name.replaceAll(device.os === 'windows' ? /[<>:"|?*/\\]/g : /\//g, '-');
  return parent.endsWith(slash) ? parent + usable : parent + slash + usable;
}

/** The last part of a path, or the whole path of a drive. */
export const nameOf = (path: string): string => path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
