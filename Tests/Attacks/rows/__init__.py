"""The rows of the table, each an attack: `prepare`, `small` with its claims, and `load` for the full form.

Rows 4 and 5, whose attack is the machine's clock, are played by the simulations of the dispatcher and the chain: a
process that is given another clock from outside loses its arguments or its timers with them.
"""
from . import bindings, connections, invented, nonces, reads, refused_tokens, registrations, streams

ROWS = [
    (1, reads), (2, invented), (3, refused_tokens), (6, streams), (7, registrations), (8, bindings), (9, connections),
    (10, nonces),
]
