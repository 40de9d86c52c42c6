"""Qt models and delegates: ids first, rows when drawn."""
