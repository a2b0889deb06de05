"""The instruments of the book."""
