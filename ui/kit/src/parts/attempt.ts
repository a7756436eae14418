import { errorText } from '../texts/errors.ts';
import { toasts } from './toasts.svelte.ts';

/** Runs an action and shows its error as a toast; returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    toasts.show(errorText(error));
    return false;
  }
}
