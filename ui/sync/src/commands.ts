import FolderIcon from '@lucide/svelte/icons/folder';
import { router, type Command, type Icon } from '@quartet/kit';
import type { Device, DeviceKind, Folder } from './data/types.ts';
import * as m from './paraglide/messages.js';

/** Makes every device and folder available in the command palette. */
export function commandsFor(
  devices: readonly Device[],
  folders: readonly Folder[],
  icon: (kind: DeviceKind) => Icon,
): Command[] {
  return [
    ...devices.map(({ id, name, kind }) => ({
      label: name,
      group: m.devices(),
      icon: icon(kind),
      run: () => router.go(`/devices/${id}`),
    })),
    ...folders.map(({ id, label }) => ({
      label,
      group: m.folders(),
      icon: FolderIcon,
      run: () => router.go(`/folders/${id}`),
    })),
  ];
}
