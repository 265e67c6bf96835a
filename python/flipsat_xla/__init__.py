"""Runs pairs of HLO modules on XLA itself (jaxlib, CPU) and says whether they compute the same.

`flipsat verify A B --with xla` uses it; docs/oracle.md says what it does. As a program:

    python3 python/flipsat_xla PAIRS.json        (see __main__.py)
"""
