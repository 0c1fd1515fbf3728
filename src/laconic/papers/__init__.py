"""One file a paper: reference, notation, recipes, the experiments of its figures, deviations."""
