export type Move = 'first' | 'up' | 'down' | 'last';

/** The ids with some of them placed before or after another one, in their current order. */
export function placedIds(
  ids: readonly number[],
  moving: ReadonlySet<number>,
  at: number,
  place: 'before' | 'after',
): number[] {
  return ids.flatMap((id) => {
    if (id !== at) return moving.has(id) ? [] : [id];
    const chosen = ids.filter((each) => moving.has(each));
    return place === 'before' ? [...chosen, id] : [id, ...chosen];
  });
}

/** The ids with some of them moved, in their current order. */
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
