"""Functions of arrays: numpy, scipy and compiled kernels, nothing else."""
