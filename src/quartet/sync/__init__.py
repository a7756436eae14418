"""One control server that steers Syncthing on all devices."""
