"""The program on every device: starts an engine and keeps it at what the server wants."""
