"""What is believed of a person: layers that fade, quarantine, corroboration, the person's word (Capture §3.3)."""

from memreview.ledger.constants import POLICY, Policy
from memreview.ledger.ledger import Ledger
from memreview.ledger.values import Change, Choice, Edge, EdgeKind, Why

__all__ = ["POLICY", "Change", "Choice", "Edge", "EdgeKind", "Ledger", "Policy", "Why"]
