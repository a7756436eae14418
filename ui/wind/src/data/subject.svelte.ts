/** The subject of the page, for its title. */
class PageSubject {
  name = $state('');
}

export const subject = new PageSubject();
