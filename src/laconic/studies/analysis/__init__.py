"""From the rows of a study to its findings and its models."""
