"""Nothing can be installed here, so the installer is not sent."""
