"""A control server that configures Syncthing on all devices."""
