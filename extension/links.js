/** Finds links in a text like the server does. */
export function linksIn(given) {
  const words = given.split(/[\s"'<>]+/).map((word) => word.replace(/[,;]+$/, ''));
  return [...new Set(words.filter((word) => /^(https?|ftps?):\/\/[^/]/i.test(word)))];
}

/** Runs in the page and returns the addresses of all links. */
export function linksInPage() {
  const here = location.href.split('#')[0];
  const all = [...document.querySelectorAll('a[href], area[href]')].map(({ href }) => href);
  return all.filter((link) => link.split('#')[0] !== here).join('\n');
}

/** Runs in the page and returns the addresses of images, videos and sounds. */
export function mediaInPage() {
  const all = [...document.querySelectorAll('img, video, audio, source')];
  return all.map((each) => each.currentSrc || each.src).join('\n');
}

/** Runs in the page and returns the selected text and the links in the selection. */
export function selectionInPage() {
  const selection = getSelection();
  const links = [...document.querySelectorAll('a[href]')].filter((link) =>
    selection.containsNode(link, true),
  );
  return [...links.map((link) => link.href), selection.toString()].join('\n');
}
