"""The instruments of the chapter: one file each, its controls, its numbers and its pictures."""
