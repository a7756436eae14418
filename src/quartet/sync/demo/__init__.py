"""The demo: three devices with real engines, in folders of their own on this machine."""
