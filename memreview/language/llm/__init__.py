"""Language models that read and write short texts: llama.cpp in a process of its own, or a server that the person runs.

`choice` says which, `model` what each can do, `form` holds an answer to its schema, `tasks` are the jobs that one can
have, and `probe` finds out which of them a model is good enough for.
"""
