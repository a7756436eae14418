/** Returns whether a click was on the backdrop of a dialog, not on the dialog or its scroll bar. */
export function isBackdropClick(box: HTMLDialogElement, event: PointerEvent): boolean {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return event.target === box && !(x >= left && x <= right && y >= top && y <= bottom);
}

/** Places a popover below its anchor, or above if there is no room, inside the window. */
export function placePopover(box: HTMLElement, anchor: Element): void {
  const { left, top, bottom } = anchor.getBoundingClientRect();
  const below = bottom + 6 + box.offsetHeight <= innerHeight;
  box.style.top = `${below ? bottom + 6 : Math.max(8, top - 6 - box.offsetHeight)}px`;
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
}
