"""The ledger of beliefs: layers, decay, quarantine, corroboration and retrieval (Capture §3.3)."""
