"""The authenticity gate: what to do with a new claim (Capture §3.2)."""
