/** Opens the dialog for a new folder from any page. */
class AddingFolder {
  open = $state(false);

  show(): void {
    this.open = true;
  }
}

export const addingFolder = new AddingFolder();
