"""The user's input: frozen, checked classes, one-to-one with the case file."""
