"""Many runs, and what may be concluded from them."""
