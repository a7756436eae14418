/** What is asked once before something that cannot be undone. */
export interface Question {
  title: string;
  /** What happens, with numbers; one paragraph each. */
  text: string[];
  /** What the button says that does it. */
  word: string;
  /** Its text is shown when it has worked. */
  act: () => Promise<string | void>;
}

class Asked {
  #question = $state.raw<Question>();

  get question(): Question | undefined {
    return this.#question;
  }

  ask(question: Question): void {
    this.#question = question;
  }

  /** Answered one way or the other: it must not come up again with the next page. */
  close(): void {
    this.#question = undefined;
  }
}

export const asked = new Asked();

export const ask = (question: Question): void => asked.ask(question);
