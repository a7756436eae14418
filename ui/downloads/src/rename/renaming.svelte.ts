/** State of the dialog for a new name, which can be opened from anywhere. */
class Renaming {
  open = $state(false);
  name = $state.raw('');
  /** Saves the new name; errors are shown in the dialog. */
  save: (name: string) => Promise<unknown> = async () => {};

  ask(name: string, save: (name: string) => Promise<unknown>): void {
    this.name = name;
    this.save = save;
    this.open = true;
  }
}

export const renaming = new Renaming();
