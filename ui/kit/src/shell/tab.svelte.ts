/** A short prefix of the title in the browser's tab, such as "42 %" or "(2)". */
class Tab {
  note = $state('');
}

export const tab = new Tab();
