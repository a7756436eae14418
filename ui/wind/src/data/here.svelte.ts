/** The subject of the page, for its title. */
class Here {
  name = $state('');
}

export const here = new Here();
