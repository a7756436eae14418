/** State of the dialog for new links, which can be opened from anywhere. */
class Adding {
  open = $state(false);
  text = $state('');

  /** Open the dialog; new links are added below earlier input. */
  show(more = ''): void {
    const lines = [this.text.trim(), more.trim()].filter(Boolean);
    if (more) this.text = lines.join('\n');
    this.open = true;
  }
}

export const adding = new Adding();
