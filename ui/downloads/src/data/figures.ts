import type { PackageRow, Row } from './rows.ts';
import { downloadState, isChecked, packageState, type State } from './states.ts';
import type { Download, Package, ProgressItem } from './types.ts';

export interface Figures extends State {
  done: number;
  size: number | undefined;
  /** Between 0 and 1; undefined if it is not known. */
  share: number | undefined;
  speed: number;
}

type Running = ReadonlyMap<number, ProgressItem>;
type Known = ReadonlyMap<number, Download>;

/** Current figures of a download's or package's row. */
export function figuresOf(row: Row, running: Running, known: Known): Figures {
  if (row.kind === 'package') return ofPackage(row, running, known);
  const item = running.get(row.download.id);
  const now = hasEnded(row.download) && !isChecked(item) ? undefined : item;
  const done = now?.bytesDone ?? row.download.bytesDone;
  const size = now?.size ?? row.download.size ?? undefined;
  return {
    done,
    size,
    share: size ? Math.min(done / size, 1) : undefined,
    speed: now?.speed ?? 0,
    ...downloadState(row.download, now),
  };
}

/** The last progress of a download may arrive after the list that says it has ended. */
const hasEnded = ({ status }: Download): boolean => status === 'finished' || status === 'failed';

/** Add the progress since the list was loaded to the figures of the package. */
function ofPackage({ package: given }: PackageRow, running: Running, known: Known): Figures {
  let [gained, speed, checked] = [0, 0, false];
  for (const item of running.values()) {
    const before = known.get(item.id);
    if (before?.packageId !== given.id || (hasEnded(before) && !isChecked(item))) continue;
    checked ||= isChecked(item);
    gained += item.bytesDone - before.bytesDone;
    speed += item.speed;
  }
  const { bytesDone, size, unknownSizes } = given.summary;
  const done = bytesDone + gained;
  const complete = unknownSizes === 0;
  return {
    done,
    // A sum of some sizes would be taken for the size of the package.
    size: complete && size ? size : undefined,
    share: complete ? (size ? Math.min(done / size, 1) : undefined) : fileShare(given, done),
    speed,
    ...packageState(given, speed, checked),
  };
}

/** Without all sizes, the files are counted instead of their bytes, once one of them is finished. */
function fileShare(
  { summary: { finished, downloads } }: Package,
  done: number,
): number | undefined {
  return finished === 0 && done > 0 ? undefined : finished / downloads;
}
