import { attempt } from '@quartet/kit';
import { api } from '../service.ts';

export const pauseAll = (): Promise<boolean> => attempt(() => api.POST('/api/downloads/pause-all'));
export const resumeAll = (): Promise<boolean> =>
  attempt(() => api.POST('/api/downloads/resume-all'));
export const stopAfterRunning = (): Promise<boolean> =>
  attempt(() => api.POST('/api/downloads/stop-after-running'));
export const cancelStop = (): Promise<boolean> =>
  attempt(() => api.POST('/api/downloads/cancel-stop'));
export const clearFinished = (): Promise<boolean> =>
  attempt(() => api.POST('/api/downloads/clear-finished'));
