import { findRoute, type Route } from '../shell/app.ts';

/** One card of the tour. */
export interface TourStep {
  title: () => string;
  text: () => string;
  /** The page of the step; it is opened first. */
  path: string;
  /** What the card points at: the value of an element's `data-tour` attribute. */
  target: string;
}

/** Returns the steps whose pages this person may open. */
export function reachable(steps: TourStep[], routes: Route[]): TourStep[] {
  return steps.filter(({ path }) => findRoute(routes, path) !== null);
}
