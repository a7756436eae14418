import Bell from '@lucide/svelte/icons/bell';
import ChartNoAxesColumn from '@lucide/svelte/icons/chart-no-axes-column';
import CloudDownload from '@lucide/svelte/icons/cloud-download';
import Cpu from '@lucide/svelte/icons/cpu';
import HardDrive from '@lucide/svelte/icons/hard-drive';
import LayoutDashboard from '@lucide/svelte/icons/layout-dashboard';
import ListChecks from '@lucide/svelte/icons/list-checks';
import MapIcon from '@lucide/svelte/icons/map';
import RadioTower from '@lucide/svelte/icons/radio-tower';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import ShieldCheck from '@lucide/svelte/icons/shield-check';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import Ticket from '@lucide/svelte/icons/ticket';
import Users from '@lucide/svelte/icons/users';
import { kitTexts, type Icon } from '@quartet/kit';
import type { Component } from 'svelte';
import * as m from '../paraglide/messages.js';

export interface Section {
  /** The last part of its address; empty for the overview. */
  id: string;
  title: () => string;
  icon: Icon;
  load: () => Promise<{ default: Component }>;
}

export interface SectionGroup {
  title: () => string;
  sections: Section[];
}

const section = (id: string, title: () => string, icon: Icon, load: Section['load']): Section => ({
  id,
  title,
  icon,
  load,
});

export const groups: SectionGroup[] = [
  {
    title: m.admin_group_site,
    sections: [
      section('', kitTexts.overview, LayoutDashboard, () => import('./overview/Overview.svelte')),
      section('users', m.admin_users, Users, () => import('./users/Users.svelte')),
      section('invites', m.admin_invites, Ticket, () => import('./users/Invites.svelte')),
      section(
        'settings',
        kitTexts.settings,
        SlidersHorizontal,
        () => import('./settings/Settings.svelte'),
      ),
    ],
  },
  {
    title: m.admin_group_data,
    sections: [
      section(
        'forecasts',
        m.admin_forecasts,
        CloudDownload,
        () => import('./data/Forecasts.svelte'),
      ),
      section(
        'measurements',
        m.admin_measurements,
        RadioTower,
        () => import('./data/Measurements.svelte'),
      ),
      section('stats', m.admin_stats, ChartNoAxesColumn, () => import('./data/Stats.svelte')),
      section('map', m.map, MapIcon, () => import('./map/MapAdmin.svelte')),
      section('alarms', m.admin_alarms, Bell, () => import('./data/Alarms.svelte')),
    ],
  },
  {
    title: m.admin_group_machine,
    sections: [
      section('tasks', m.admin_tasks, ListChecks, () => import('./server/Tasks.svelte')),
      section('storage', m.admin_storage, HardDrive, () => import('./server/Storage.svelte')),
      section('system', m.admin_system, Cpu, () => import('./server/System.svelte')),
      section('audit', kitTexts.audit, ShieldCheck, () => import('./log/Audit.svelte')),
      section('log', m.admin_log, ScrollText, () => import('./log/Log.svelte')),
    ],
  },
];

export const sections: Section[] = groups.flatMap((group) => group.sections);

export function findSection(id: string): Section | undefined {
  return sections.find((each) => each.id === id);
}

export const sectionPath = (id: string): string => (id ? `/admin/${id}` : '/admin');
