/** Returns whether a click was on the backdrop of a dialog, not on the dialog or its scroll bar. */
export function isBackdropClick(box: HTMLDialogElement, event: PointerEvent): boolean {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return event.target === box && !(x >= left && x <= right && y >= top && y <= bottom);
}

/** What a popover is placed next to: the edges of an element, or a point. */
export type Anchor = Pick<DOMRect, 'left' | 'top' | 'bottom'>;

/** Places a popover below its anchor, or above if there is no room, inside the window. */
export function placePopover(box: HTMLElement, { left, top, bottom }: Anchor): void {
  const gap = top === bottom ? 0 : 6;
  const below = bottom + gap + box.offsetHeight <= innerHeight;
  box.style.top = `${below ? bottom + gap : Math.max(8, top - gap - box.offsetHeight)}px`;
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
}
