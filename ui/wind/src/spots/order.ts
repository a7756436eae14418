/** Moves one id to another position. */
export function moved(ids: readonly number[], id: number, to: number): number[] {
  const others = ids.filter((one) => one !== id);
  return others.toSpliced(to, 0, id);
}
