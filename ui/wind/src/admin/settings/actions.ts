import { body } from '@quartet/kit';
import { siteInfo } from '../../data/site.ts';
import { api } from '../../service.ts';
import type { Setting } from '../types.ts';

/** Reloads the public site information, so that this page shows the change as well. */
export async function change(key: string, value: unknown): Promise<Setting> {
  const params = { path: { key } };
  const changed = await body(api.PUT('/api/admin/settings/{key}', { params, body: { value } }));
  void siteInfo.reload();
  return changed;
}

export async function reset(key: string): Promise<Setting> {
  const params = { path: { key } };
  const changed = await body(api.DELETE('/api/admin/settings/{key}', { params }));
  void siteInfo.reload();
  return changed;
}
