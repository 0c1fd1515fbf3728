"""Forward selection of words by the gain of one objective for all classes, with swaps."""
