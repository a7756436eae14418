"""Install and use Quartet as a visitor does, in bare Debian and Ubuntu systems."""
