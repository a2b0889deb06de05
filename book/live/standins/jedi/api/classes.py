"""Empty: imported, never used."""
