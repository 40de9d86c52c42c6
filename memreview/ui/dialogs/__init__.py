"""Dialogs: each asks one thing and returns a plain value."""
