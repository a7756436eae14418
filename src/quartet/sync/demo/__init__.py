"""The demo: three devices with real engines, each in its own folder on this machine."""
