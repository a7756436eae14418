/** After this time the card points at the page's entry in the navigation instead. */
const PATIENCE_MS = 800;

/** Returns what a step points at, if it is shown; `since` is when the step began. */
export function findTarget(name: string, since: number): HTMLElement | null {
  const target = firstShown(`[data-tour="${name}"]`);
  if (target || performance.now() - since < PATIENCE_MS) return target;
  return firstShown('nav [aria-current="page"]');
}

function firstShown(selector: string): HTMLElement | null {
  const found = [...document.querySelectorAll<HTMLElement>(selector)];
  return found.find((each) => each.checkVisibility() && each.offsetHeight > 0) ?? null;
}

/** Scrolls a target to where the card does not cover it. */
export function scrollToTarget(target: HTMLElement): void {
  const tall = target.offsetHeight > innerHeight / 2;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  target.scrollIntoView({
    block: tall ? 'start' : 'center',
    behavior: still ? 'instant' : 'smooth',
  });
}
