import { Loader } from '../live/loader.svelte.ts';

export interface SessionState {
  loggedIn: boolean;
}

/** The session as the server sees it; undefined until it has answered. */
export class Session<State extends SessionState> {
  readonly #loader: Loader<State>;

  constructor(load: () => Promise<State>) {
    this.#loader = new Loader(load);
  }

  get state(): State | undefined {
    return this.#loader.value;
  }

  /** The error of the first check; later errors do not change the page. */
  get error(): unknown {
    return this.state ? undefined : this.#loader.error;
  }

  check(): Promise<void> {
    return this.#loader.reload();
  }

  /** Shows the sign-in page after the server has rejected the session. */
  ended(): void {
    this.#loader.patch((state) => ({ ...state, loggedIn: false }));
    // A check under way may belong to a newer session, so the server is asked again.
    if (this.#loader.busy) void this.check();
  }
}
