export type Move = 'first' | 'up' | 'down' | 'last';

/** The ids with some of them moved together, keeping their order among themselves. */
export function movedIds(ids: readonly number[], moving: ReadonlySet<number>, to: Move): number[] {
  const chosen = ids.filter((id) => moving.has(id));
  const others = ids.filter((id) => !moving.has(id));
  if (to === 'first') return [...chosen, ...others];
  if (to === 'last') return [...others, ...chosen];
  const next = to === 'up' ? [...ids] : ids.toReversed();
  for (let place = 1; place < next.length; place++) {
    const [before, here] = [next[place - 1], next[place]];
    if (before === undefined || here === undefined) continue;
    if (moving.has(here) && !moving.has(before)) [next[place - 1], next[place]] = [here, before];
  }
  return to === 'up' ? next : next.toReversed();
}
