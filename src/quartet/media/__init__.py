"""Matches, renames and moves media files."""
