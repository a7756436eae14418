/**
 * A dialog that asks for the password or a passkey before an important change. The client opens it
 * when the server requires it, and repeats the request afterwards.
 */
class RecentCheck {
  #answer = $state.raw<(checked: boolean) => void>();

  get open(): boolean {
    return this.#answer !== undefined;
  }

  /** Opens the dialog; resolves to false if it is closed without a check. */
  ask(): Promise<boolean> {
    this.finish(false);
    return new Promise((resolve) => (this.#answer = resolve));
  }

  finish(checked: boolean): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(checked);
  }
}

export const recentCheck = new RecentCheck();
