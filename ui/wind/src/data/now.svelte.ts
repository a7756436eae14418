/** The current time in seconds, updated every 30 seconds. */
export class Now {
  seconds = $state(Date.now() / 1000);

  /** Create it during component initialisation; it stops with the component. */
  constructor() {
    $effect(() => {
      const timer = setInterval(() => (this.seconds = Date.now() / 1000), 30_000);
      return () => clearInterval(timer);
    });
  }
}
