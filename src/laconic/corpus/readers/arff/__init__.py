"""ARFF files, with Mulan's list of labels."""
