"""The window: panels over `memreview.review`, and nothing that a command line could not do as well."""
