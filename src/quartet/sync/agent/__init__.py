"""The sync agent: runs a Syncthing engine on a device and applies the server's desired state."""
