"""labeler: step labels for process reward models."""
