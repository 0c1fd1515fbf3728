"""How far a small linear model may be from the full one."""
