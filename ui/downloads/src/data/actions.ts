import { attempt } from '@quartet/kit';
import { api } from '../service.ts';
import type { Chosen } from './rows.ts';
import type { Package } from './types.ts';

const AT_ONCE = 4;

const ofPackage = (id: number) => ({ params: { path: { package_id: id } } });
const ofDownload = (id: number) => ({ params: { path: { download_id: id } } });

export function pause(chosen: Chosen): Promise<boolean> {
  return each(
    chosen,
    (id) => api.POST('/api/packages/{package_id}/pause', ofPackage(id)),
    (id) => api.POST('/api/downloads/{download_id}/pause', ofDownload(id)),
  );
}

export function resume(chosen: Chosen): Promise<boolean> {
  return each(
    chosen,
    (id) => api.POST('/api/packages/{package_id}/resume', ofPackage(id)),
    (id) => api.POST('/api/downloads/{download_id}/resume', ofDownload(id)),
  );
}

/** Start downloads without waiting for a slot. */
export function startNow(chosen: Chosen): Promise<boolean> {
  return each(
    chosen,
    (id) => api.POST('/api/packages/{package_id}/start-now', ofPackage(id)),
    (id) => api.POST('/api/downloads/{download_id}/start-now', ofDownload(id)),
  );
}

/** Delete downloads; errors are handled by the caller. */
export function remove(chosen: Chosen, files: boolean): Promise<unknown> {
  const query = { files };
  const jobs = jobsOf(
    chosen,
    (id) =>
      api.DELETE('/api/packages/{package_id}', { params: { path: { package_id: id }, query } }),
    (id) =>
      api.DELETE('/api/downloads/{download_id}', { params: { path: { download_id: id }, query } }),
  );
  return fewAtOnce(jobs, (job) => job());
}

export function prioritize(chosen: Chosen, priority: number): Promise<boolean> {
  const body = { priority };
  return each(
    chosen,
    (id) => api.PATCH('/api/packages/{package_id}', { ...ofPackage(id), body }),
    (id) => api.PATCH('/api/downloads/{download_id}', { ...ofDownload(id), body }),
  );
}

export function check(packages: readonly Package[]): Promise<boolean> {
  const ids = packages.map(({ id }) => id);
  return all(ids, (id) => api.POST('/api/packages/{package_id}/check', ofPackage(id)));
}

/** Compare the files of torrents with their hashes. */
export function recheck(torrents: readonly Package[]): Promise<boolean> {
  const ids = torrents.map(({ id }) => id);
  return all(ids, (id) => api.POST('/api/torrents/{package_id}/recheck', ofPackage(id)));
}

/** Move packages to the queue: all of them, or some downloads of one package. */
export function start(packages: readonly Package[], downloadIds?: number[]): Promise<boolean> {
  const ids = packages.map(({ id }) => id);
  const body = downloadIds ? { downloadIds } : {};
  return all(ids, (id) => api.POST('/api/packages/{package_id}/start', { ...ofPackage(id), body }));
}

export function unpack(packages: readonly Package[]): Promise<boolean> {
  const ids = packages.map(({ id }) => id);
  return all(ids, (id) => api.POST('/api/packages/{package_id}/extract', ofPackage(id)));
}

/** Move links to a package of the link grabber; errors are handled by the caller. */
export function moveLinks(
  downloadIds: number[],
  to: { packageId: number } | { packageName: string },
): Promise<unknown> {
  return api.POST('/api/links/move', { body: { downloadIds, ...to } });
}

export function order(ids: number[]): Promise<boolean> {
  return attempt(() => api.POST('/api/packages/order', { body: { ids } }));
}

type Act = (id: number) => Promise<unknown>;

function each(chosen: Chosen, packageAct: Act, downloadAct: Act): Promise<boolean> {
  return all(jobsOf(chosen, packageAct, downloadAct), (job) => job());
}

function jobsOf(chosen: Chosen, packageAct: Act, downloadAct: Act): (() => Promise<unknown>)[] {
  return [
    ...chosen.packages.map(
      ({ id }) =>
        () =>
          packageAct(id),
    ),
    ...chosen.downloads.map(
      ({ id }) =>
        () =>
          downloadAct(id),
    ),
  ];
}

function all<T>(things: readonly T[], act: (thing: T) => Promise<unknown>): Promise<boolean> {
  return attempt(() => fewAtOnce(things, act));
}

/** Run a few actions in parallel; the first failure stops the rest. */
function fewAtOnce<T>(things: readonly T[], act: (thing: T) => Promise<unknown>): Promise<unknown> {
  const waiting = things.values();
  const worker = async (): Promise<void> => {
    for (const thing of waiting) await act(thing);
  };
  return Promise.all(Array.from({ length: AT_ONCE }, worker));
}
