"""Widgets that know nothing of the program: values in, pixels and signals out."""
