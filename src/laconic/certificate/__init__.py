"""Bounds on how far a small model is from the full one: `certify` computes them, or says why not.

Each number is a proposition proved in `docs/certificates.md`.
"""

from laconic.certificate.comparison import certify, serving_interval
from laconic.certificate.parts import Certificate, NotComputed
from laconic.certificate.stored import as_stored

__all__ = ["Certificate", "NotComputed", "as_stored", "certify", "serving_interval"]
