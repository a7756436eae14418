"""The hub's folders on the server's disk, and the archive of replaced files."""
