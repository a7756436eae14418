import { errorText } from '../texts/errors.ts';
import { toasts } from './toasts.svelte.ts';

/** Does something and says why it did not work; true when it did. */
export async function told(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    toasts.show(errorText(error));
    return false;
  }
}
