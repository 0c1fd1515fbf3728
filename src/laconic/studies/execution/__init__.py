"""Tasks, and the executors that run them."""
