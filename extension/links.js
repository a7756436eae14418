/** Finds links in a text, as the server does. */
export function linksIn(given) {
  const words = given.split(/[\s"'<>]+/).map((word) => word.replace(/[,;]+$/, ''));
  return [...new Set(words.filter((word) => /^(https?|ftps?):\/\/[^/]/i.test(word)))];
}

/** Runs inside the page: links that are touched by the selection, and its text. */
export function selectionInPage() {
  const selection = getSelection();
  const links = [...document.querySelectorAll('a[href]')].filter((link) =>
    selection.containsNode(link, true),
  );
  return [...links.map((link) => link.href), selection.toString()].join('\n');
}
