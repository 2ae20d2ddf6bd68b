"""The sans-IO core: what happens at one table. No clock, no chance, no I/O: times come in, as ms since 1970 (UTC).

`decide` turns a command into log entries, `evolve` turns an entry into the next state and what viewers are shown of it.
Everything that is not a function of the earlier log stands in the entries, so the same log always gives the same table.
"""
