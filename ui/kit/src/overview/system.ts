/** The system information of a service; the live event `system` has the same body. */
export interface SystemInfo {
  service: string;
  version: string;
  startedAt: number;
  uptime: number;
  database: string;
  schemaVersion: string | number;
  loops: Loop[];
  streams: number;
  memory: number;
  diskFree: number;
  diskTotal: number;
  problems: SystemProblem[];
}

/** A problem of the service that has lasted for some time. */
export interface SystemProblem {
  kind: string;
  name: string;
  problem: { code: string; inputs?: Record<string, unknown> };
  since: number;
}

export interface Loop {
  name: string;
  state: string;
  restarts: number;
  error?: { code: string; inputs?: Record<string, unknown> } | null;
}

// A task that stopped without an error has finished its work.
export const needsAttention = (loop: Loop): boolean => !!loop.error;
