import type { Component } from 'svelte';
import type { Icon } from '../icon.ts';
import { match, type Params } from '../router/match.ts';

export type Accent = 'downloads' | 'sync' | 'media' | 'wind';

/** Name, icon and colour of a service's app. */
export interface AppInfo {
  id: Accent;
  name: string;
  icon: Icon;
  tagline: () => string;
}

/** A page. With an icon it appears in the navigation and in the commands. */
export interface Route {
  path: string;
  title: () => string;
  /** The label in the navigation, if the title is too long for it. */
  short?: () => string;
  icon?: Icon;
  /** The page covers the window, so it has no footer. */
  full?: boolean;
  /** The page has a table, a chart or tiles that use the whole width of a large screen. */
  wide?: boolean;
  /** Number shown as a badge. */
  badge?: () => number;
  /** Whether the number asks for an action soon, so that the badge is red. */
  urgent?: boolean;
  // Pages take their parameters as props, which differ for every page.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  load: () => Promise<{ default: Component<any> }>;
}

export interface Command {
  label: string;
  group: string;
  icon: Icon;
  run: () => void;
}

export interface Account {
  /** Undefined where users sign in without a name. */
  user?: string | null;
  signOut: () => void;
}

export function findRoute(routes: Route[], path: string): { route: Route; params: Params } | null {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return { route, params };
  }
  return null;
}
