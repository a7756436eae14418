import { attempt } from '@quartet/kit';
import { api } from '../service.ts';

export const pauseAll = (): Promise<boolean> => attempt(() => api.POST('/api/downloads/pause-all'));
export const resumeAll = (): Promise<boolean> =>
  attempt(() => api.POST('/api/downloads/resume-all'));
export const clearFinished = (): Promise<boolean> =>
  attempt(() => api.POST('/api/downloads/clear-finished'));
