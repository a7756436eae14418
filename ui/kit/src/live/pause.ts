/**
 * Asks once nobody has typed for a moment; what it gives back is for the effect to return. As soon
 * as something else is asked for, an answer that is still on its way no longer counts.
 */
export function afterPause<T>(
  milliseconds: number,
  ask: () => Promise<T>,
  answered: (answer: T) => void,
  failed: (error: unknown) => void = () => undefined,
): () => void {
  let current = true;
  const timer = setTimeout(() => {
    ask().then(
      (answer) => current && answered(answer),
      (error: unknown) => current && failed(error),
    );
  }, milliseconds);
  return () => {
    current = false;
    clearTimeout(timer);
  };
}
