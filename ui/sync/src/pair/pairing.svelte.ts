/** Opens the pairing dialog from any page. */
class Pairing {
  open = $state(false);

  show(): void {
    this.open = true;
  }
}

export const pairing = new Pairing();
