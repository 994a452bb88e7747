"""cli_audit.py - the commands that say how far labels can be trusted: audit, report."""
