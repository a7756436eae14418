/** The edges of an element in the window. */
export type Edges = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  left: number;
  top: number;
}

/** Space between the card and what it points at, and between the card and the window's edge. */
const GAP = 16;

/** Returns where the card covers nothing of its target; without such a place, the lower corner. */
export function placeCard(target: Edges | null, card: Size, room: Size): Point {
  const corner = {
    left: room.width - card.width - GAP,
    top: room.height - card.height - GAP,
  };
  if (!target) return corner;
  const left = clamp(target.left, corner.left);
  const top = clamp(target.top, corner.top);
  const places = [
    { left, top: target.bottom + GAP },
    { left, top: target.top - GAP - card.height },
    { left: target.right + GAP, top },
    { left: target.left - GAP - card.width, top },
  ];
  return places.find((place) => fits(place, corner)) ?? corner;
}

/** Returns whether a target is fully visible above `bottom`, so that the page need not scroll. */
export function inView({ top, bottom: end }: Edges, bottom: number): boolean {
  return top >= 0 && end <= bottom;
}

function fits({ left, top }: Point, most: Point): boolean {
  return left >= GAP && left <= most.left && top >= GAP && top <= most.top;
}

function clamp(value: number, most: number): number {
  return Math.max(GAP, Math.min(value, most));
}
