/** A confirmation before an action that cannot be undone. */
export interface Question {
  title: string;
  /** What will happen, with numbers; one string per paragraph. */
  text: string[];
  /** Label of the button that confirms. */
  word: string;
  /** The returned text is shown on success. */
  act: () => Promise<string | void>;
}

class OpenQuestion {
  #question = $state.raw<Question>();

  get question(): Question | undefined {
    return this.#question;
  }

  ask(question: Question): void {
    this.#question = question;
  }

  /** Closes the dialog on navigation, so that it does not reappear on the next page. */
  close(): void {
    this.#question = undefined;
  }
}

export const asked = new OpenQuestion();

export const ask = (question: Question): void => asked.ask(question);
