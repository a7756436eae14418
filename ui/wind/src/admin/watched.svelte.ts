import { Resource } from '@quartet/kit';

/** Data that is asked for again every few seconds while somebody looks at it. */
export class Watched<T> extends Resource<T> {
  /** Create it while a component starts; it stops with the component. */
  constructor(load: () => Promise<T>, seconds = 4) {
    super(load);
    $effect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let over = false;
      // After an answer, not by the clock: a slow server is not asked twice at a time.
      const wait = (): void => void (timer = setTimeout(() => void again(), seconds * 1000));
      const again = async (): Promise<void> => {
        if (!document.hidden) await this.reload();
        if (!over) wait();
      };
      wait();
      return () => {
        over = true;
        clearTimeout(timer);
      };
    });
  }
}
