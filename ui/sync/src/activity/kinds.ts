import CircleAlert from '@lucide/svelte/icons/circle-alert';
import FilePen from '@lucide/svelte/icons/file-pen';
import HistoryIcon from '@lucide/svelte/icons/history';
import Link from '@lucide/svelte/icons/link';
import ListChecks from '@lucide/svelte/icons/list-checks';
import Plug from '@lucide/svelte/icons/plug';
import Settings2 from '@lucide/svelte/icons/settings-2';
import Split from '@lucide/svelte/icons/split';
import Unplug from '@lucide/svelte/icons/unplug';
import type { Icon, Tone } from '@quartet/kit';
import type { ActivityEvent } from '../data/types.ts';

type Kind = ActivityEvent['kind'];

export const kindLooks: Record<Kind, { icon: Icon; tone: Tone }> = {
  changed: { icon: FilePen, tone: 'active' },
  paired: { icon: Link, tone: 'good' },
  connected: { icon: Plug, tone: 'good' },
  disconnected: { icon: Unplug, tone: 'idle' },
  conflict: { icon: Split, tone: 'warn' },
  resolved: { icon: ListChecks, tone: 'good' },
  restored: { icon: HistoryIcon, tone: 'active' },
  config: { icon: Settings2, tone: 'idle' },
  error: { icon: CircleAlert, tone: 'bad' },
};
