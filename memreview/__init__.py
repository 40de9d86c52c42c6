"""memreview: review what an AI assistant remembers about you, on your own machine."""

__version__ = "0.1.0"
