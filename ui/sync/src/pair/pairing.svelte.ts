/** Opens the dialog from anywhere. */
class Pairing {
  open = $state(false);

  show(): void {
    this.open = true;
  }
}

export const pairing = new Pairing();
