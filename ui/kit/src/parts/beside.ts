/** Whether somebody pressed beside an open dialog, and not on it or on its own scroll bar. */
export function pressedBeside(box: HTMLDialogElement, event: PointerEvent): boolean {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return event.target === box && !(x >= left && x <= right && y >= top && y <= bottom);
}
