/** Opens the dialog for a new folder from anywhere. */
class AddingFolder {
  open = $state(false);

  show(): void {
    this.open = true;
  }
}

export const addingFolder = new AddingFolder();
