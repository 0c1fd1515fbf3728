"""Support vector machines in the dual, and their masked versions."""
