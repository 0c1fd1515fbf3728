"""How far may a small model be from the full one? `certify` computes it, or says why not.

Each number is a proposition of `docs/certificates.md`, proven there.
"""

from laconic.certificate.comparing import certify, serving_interval
from laconic.certificate.parts import Certificate, NotComputed

__all__ = ["Certificate", "NotComputed", "certify", "serving_interval"]
