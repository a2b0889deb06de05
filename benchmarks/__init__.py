"""What the book promises in numbers, measured; ``python -m benchmarks`` prints all of it."""
