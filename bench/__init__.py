"""Speed as a ratio to a peer, both measured in the same run: `python -m bench [names…]`."""
