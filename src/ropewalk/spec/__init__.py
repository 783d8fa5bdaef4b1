"""What the user says: frozen, checked classes, one-to-one with the case file."""
