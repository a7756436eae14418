export interface SessionState {
  loggedIn: boolean;
}

/** The session as the server sees it; undefined until it has answered. */
export class Session<State extends SessionState> {
  #state = $state.raw<State>();
  #error = $state.raw<unknown>();
  #asked = 0;
  #answered = 0;
  readonly #load: () => Promise<State>;

  constructor(load: () => Promise<State>) {
    this.#load = load;
  }

  get state(): State | undefined {
    return this.#state;
  }

  /** The error of the first check; later errors do not change the page. */
  get error(): unknown {
    return this.#state ? undefined : this.#error;
  }

  async check(): Promise<void> {
    const turn = ++this.#asked;
    try {
      const state = await this.#load();
      // One that was asked for before somebody signed in or out may come after it.
      if (turn < this.#answered) return;
      this.#answered = turn;
      this.#state = state;
    } catch (error) {
      this.#error = error;
    }
  }

  /** Shows the sign-in page after the server has rejected the session. */
  ended(): void {
    if (this.#state) this.#state = { ...this.#state, loggedIn: false };
  }
}
