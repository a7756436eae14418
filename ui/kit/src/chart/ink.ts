/**
 * Resolves CSS colours for a canvas, which knows neither variables nor `light-dark()`. The result
 * is valid for the theme that is shown now.
 */
export function inkOf(element: HTMLElement): (colour: string, share?: number) => string {
  const probe = document.createElement('span');
  return (colour, share = 1) => {
    probe.style.color = `color-mix(in oklab, ${colour} ${share * 100}%, transparent)`;
    element.append(probe);
    const resolved = getComputedStyle(probe).color;
    probe.remove();
    return resolved;
  };
}
