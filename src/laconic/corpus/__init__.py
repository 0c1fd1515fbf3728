"""Documents, labels, split: the first room of the flow."""
