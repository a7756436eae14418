/** Whether somebody pressed beside an open dialog, and not on it or on its own scroll bar. */
export function pressedBeside(box: HTMLDialogElement, event: PointerEvent): boolean {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return event.target === box && !(x >= left && x <= right && y >= top && y <= bottom);
}

/** Below what it belongs to, or above when there is no room, inside the window. */
export function placeBeside(box: HTMLElement, anchor: Element): void {
  const { left, top, bottom } = anchor.getBoundingClientRect();
  const below = bottom + 6 + box.offsetHeight <= innerHeight;
  box.style.top = `${below ? bottom + 6 : Math.max(8, top - 6 - box.offsetHeight)}px`;
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
}
