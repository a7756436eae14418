import type { Notifications } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

export const RECIPIENT_KINDS = {
  message: m.notify_message,
  webhook: m.notify_webhook,
  jellyfin: m.notify_jellyfin,
  emby: m.notify_emby,
  plex: m.notify_plex,
  kodi: m.notify_kodi,
  script: m.notify_script,
};
export type RecipientKind = keyof typeof RECIPIENT_KINDS;
export type ListName = 'notifications' | 'webhooks' | 'servers' | 'scripts';
export type Occasion = 'done' | 'failed' | 'inbox';

export const OCCASIONS: Record<Occasion, () => string> = {
  done: m.notify_done,
  failed: m.notify_failed,
  inbox: m.notify_inbox,
};

/** A script is ended after this time. */
const SCRIPT_SECONDS = 60;

/** One row of the lists, which the UI shows as one. */
export interface Recipient {
  list: ListName;
  index: number;
  kind: RecipientKind;
  title: string;
  url: string;
}

export interface RecipientDraft {
  kind: RecipientKind;
  name: string;
  url: string;
  token: string;
  /** Signs the messages of a webhook. */
  signingKey: string;
  /** The file name of a script. */
  script: string;
  paths: string;
  occasions: Occasion[];
  /** Its host may be in a private network. */
  isPrivate: boolean;
}

export const emptyDraft = (): RecipientDraft => ({
  kind: 'message',
  name: '',
  url: '',
  token: '',
  signingKey: '',
  script: '',
  paths: '',
  occasions: ['done', 'failed', 'inbox'],
  isPrivate: false,
});

export function recipientsOf(all: Notifications): Recipient[] {
  const { notifications = [], webhooks = [], servers = [], scripts = [] } = all;
  return [
    ...notifications.map(({ url, name }, index) => ({
      ...{ list: 'notifications' as const, index, kind: 'message' as const },
      ...{ title: name || m.notify_message(), url },
    })),
    ...webhooks.map(({ url }, index) => ({
      ...{ list: 'webhooks' as const, index, kind: 'webhook' as const },
      ...{ title: m.notify_webhook(), url },
    })),
    ...servers.map(({ kind, url }, index) => ({
      ...{ list: 'servers' as const, index, kind, title: RECIPIENT_KINDS[kind](), url },
    })),
    ...scripts.map(({ name }, index) => ({
      ...{ list: 'scripts' as const, index, kind: 'script' as const },
      ...{ title: m.notify_script(), url: name },
    })),
  ];
}

export function withRecipient(all: Notifications, draft: RecipientDraft): Notifications {
  const { notifications = [], webhooks = [], servers = [] } = all;
  const { kind, name, token, occasions, isPrivate } = draft;
  const url = draft.url.trim();
  if (kind === 'message')
    return {
      ...all,
      notifications: [...notifications, { url, name, occasions, private: isPrivate }],
    };
  if (kind === 'webhook') {
    const webhook = { url, token, signingKey: draft.signingKey, occasions, private: isPrivate };
    return { ...all, webhooks: [...webhooks, webhook] };
  }
  if (kind === 'script') {
    const script = { name: draft.script, occasions, seconds: SCRIPT_SECONDS };
    return { ...all, scripts: [...(all.scripts ?? []), script] };
  }
  const pathMap = draft.paths
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return { ...all, servers: [...servers, { kind, url, token, pathMap, private: isPrivate }] };
}

export function withoutRecipient(all: Notifications, { list, index }: Recipient): Notifications {
  return { ...all, [list]: (all[list] ?? []).filter((_, place) => place !== index) };
}
