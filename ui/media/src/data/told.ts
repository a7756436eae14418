import { errorText, toasts } from '@quartet/kit';

/** Says what went wrong; true when nothing did. */
export async function told(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    toasts.show(errorText(error));
    return false;
  }
}
