"""The hub's folders on the server's disk, and the archive beside them."""
