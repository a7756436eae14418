/** The dialog for new links, opened from anywhere. */
class Adding {
  open = $state(false);
  text = $state('');

  /** What was typed before stays, and new links come below it. */
  show(more = ''): void {
    const lines = [this.text.trim(), more.trim()].filter(Boolean);
    if (more) this.text = lines.join('\n');
    this.open = true;
  }
}

export const adding = new Adding();
