/** Finds links in a text like the server does. */
export function linksIn(given) {
  const words = given.split(/[\s"'<>]+/).map((word) => word.replace(/[,;]+$/, ''));
  return [...new Set(words.filter((word) => /^(https?|ftps?):\/\/[^/]/i.test(word)))];
}

/** Runs in the page and returns the selected text and the links in the selection. */
export function selectionInPage() {
  const selection = getSelection();
  const links = [...document.querySelectorAll('a[href]')].filter((link) =>
    selection.containsNode(link, true),
  );
  return [...links.map((link) => link.href), selection.toString()].join('\n');
}
