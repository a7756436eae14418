/** What the page is about, for its title. */
class Here {
  name = $state('');
}

export const here = new Here();
