"""Rating changes from finished matches."""
