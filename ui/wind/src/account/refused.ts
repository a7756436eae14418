import { ApiError, ExplainedError } from '@quartet/kit';

/** Says what a refused sign-in means where neither an address nor a password was entered. */
export async function refusedAs<T>(
  answer: Promise<T>,
  text: () => string,
  field?: string,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const refused = error instanceof ApiError && error.code === 'wrong_credentials';
    throw refused ? new ExplainedError(text, field) : error;
  }
}
