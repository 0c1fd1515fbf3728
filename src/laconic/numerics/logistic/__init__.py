"""Logistic regression: sigmoids for two sides, softmax for several classes."""
