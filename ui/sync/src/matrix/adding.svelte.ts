/** A folder that was just added, and the device that it is for. */
interface Added {
  readonly folderId: number;
  readonly deviceId: number;
}

/** Opens the dialog for a new folder from any page. */
class AddingFolder {
  open = $state(false);
  /** Set until the page "Sharing" asks for the path on this device. */
  added = $state.raw<Added>();
  #device: number | undefined;

  /** With a device, the folder is for it. */
  show(device?: number): void {
    this.#device = device;
    this.open = true;
  }

  /** Ends the dialog. If there is only one device, the folder is for it. */
  done(folderId: number, devices: readonly { readonly id: number }[]): void {
    const deviceId = this.#device ?? (devices.length === 1 ? devices[0]?.id : undefined);
    if (deviceId !== undefined) this.added = { folderId, deviceId };
    this.open = false;
  }
}

export const addingFolder = new AddingFolder();
