"""What is wrong with the programs of verdicts.c, by word."""
# word: what is found in the wrong one
VERDICTS = {
    'lazy': 'assertion', 'sum': 'assertion', 'wrong-lock': 'race', 'split': 'assertion', 'account': 'assertion',
    'fib': 'assertion', 'mutual': 'assertion', 'spin-lock': 'assertion', 'tickets': 'assertion', 'message': 'race',
    'reorder': 'assertion', 'indexer': 'assertion', 'wakeup': 'deadlock', 'stolen': 'assertion', 'timeout': 'assertion',
    'gate': 'assertion', 'phases': 'assertion race', 'readers': 'race', 'singleton': 'assertion race', 'tries': 'assertion',
    'order': 'deadlock', 'lifetime': 'memory', 'freed-twice': 'memory', 'bounds': 'memory', 'bigshot': 'memory',
    'race': 'race', 'joined': 'race', 'fifo': 'assertion', 'stack': 'memory', 'parsed': 'assertion', 'overflow': 'runtime',
}
