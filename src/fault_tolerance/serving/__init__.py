"""What a fleet of replicas loses when some fail."""
