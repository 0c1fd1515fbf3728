"""Paul & Drineas 2014: BSS and RRQR."""
