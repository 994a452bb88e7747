"""apps - one module a command that has logic of its own; cli.py calls them."""
