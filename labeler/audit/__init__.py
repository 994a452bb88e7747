"""audit - how noisy labels from N rollouts are, and what more rollouts would buy. Pure."""
