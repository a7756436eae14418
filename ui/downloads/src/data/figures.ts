import type { Tone } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { questions } from './questions.svelte.ts';
import type { PackageRow, Row } from './rows.ts';
import { stateOf } from './states.ts';
import type { Download, Package, ProgressItem } from './types.ts';

export interface Figures {
  done: number;
  size: number | undefined;
  speed: number;
  word: string;
  tone: Tone;
}

type Running = ReadonlyMap<number, ProgressItem>;
type Known = ReadonlyMap<number, Download>;

/** Current figures of a download's or package's row. */
export function figuresOf(row: Row, running: Running, known: Known): Figures {
  if (row.kind === 'package') return ofPackage(row, running, known);
  const now = running.get(row.download.id);
  return {
    done: now?.bytesDone ?? row.download.bytesDone,
    size: now?.size ?? row.download.size ?? undefined,
    speed: now?.speed ?? 0,
    ...(asks(row.download) ? ASKING() : stateOf(row.download, now)),
  };
}

const ASKING = (): { word: string; tone: Tone } => ({ word: m.state_asking(), tone: 'warn' });
const asks = ({ status, url }: Download): boolean =>
  status === 'resolving' && questions.links.has(url);

/** Add the progress since the list was loaded to the figures of the package. */
function ofPackage({ package: given }: PackageRow, running: Running, known: Known): Figures {
  let [gained, speed] = [0, 0];
  for (const item of running.values()) {
    const before = known.get(item.id);
    if (before?.packageId !== given.id) continue;
    gained += item.bytesDone - before.bytesDone;
    speed += item.speed;
  }
  const { bytesDone, size } = given.summary;
  return {
    done: bytesDone + gained,
    size: size || undefined,
    speed,
    ...packageState(given, speed),
  };
}

function packageState(given: Package, speed: number): { word: string; tone: Tone } {
  const { downloads, finished, failed } = given.summary;
  if (given.extract === 'running') return { word: m.extract_running(), tone: 'active' };
  if (given.extract === 'failed') return { word: m.extract_failed(), tone: 'bad' };
  if (given.extract === 'done') return { word: m.extract_done(), tone: 'good' };
  if (finished === downloads) return { word: m.state_finished(), tone: 'good' };
  if (failed > 0) return { word: m.package_failed({ count: failed }), tone: 'bad' };
  const word = m.package_finished({ finished, count: downloads });
  return { word, tone: speed > 0 ? 'active' : 'idle' };
}
