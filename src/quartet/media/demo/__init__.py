"""The demo: folders of sample names to try everything on."""
