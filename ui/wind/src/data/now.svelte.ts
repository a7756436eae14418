/** The present in seconds, a new one every half minute while somebody looks. */
export class Now {
  seconds = $state(Date.now() / 1000);

  /** Create it while a component starts; it stops with the component. */
  constructor() {
    $effect(() => {
      const timer = setInterval(() => (this.seconds = Date.now() / 1000), 30_000);
      return () => clearInterval(timer);
    });
  }
}
