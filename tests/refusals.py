"""Allocations of a program that are refused (tests/model/refuse.c is loaded into it)."""
import os
import subprocess
import tempfile


def run(command, library, cwd=None, **refusal):
    """Runs it with REFUSE_AT=2 for AT=2, and so on."""
    environment = {**os.environ, 'LD_PRELOAD': library, **{f'REFUSE_{name}': str(value) for name, value in refusal.items()}}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, cwd=cwd,
                          pass_fds=[refusal[name] for name in ('COUNT', 'OWN') if name in refusal])


def allocations(run_whole):
    """How many a run makes, and the run, of a function that gets a file descriptor as COUNT."""
    reader, writer = os.pipe()
    whole = run_whole(COUNT=writer)
    os.close(writer)
    with os.fdopen(reader) as file:
        return int(file.read()), whole


def own_allocations(run_whole):
    """How many a program makes itself, none of its libraries, of a function that gets a file
    descriptor as OWN; and the run."""
    with tempfile.TemporaryFile('r+') as file:
        whole = run_whole(OWN=file.fileno())
        file.seek(0)
        return int(file.read() or 0), whole


def wrong_with(ran, whole, result):
    """What is wrong with a run of which something was refused, where result() has what must not
    differ between two that end in the ordinary way; None: nothing."""
    if ran.returncode not in (whole.returncode, 1, 3):
        return f'status {ran.returncode}'
    if 'memory' in ran.stderr or 'out of memory' in ran.stdout:
        return None
    if ran.returncode != whole.returncode or result(ran) != result(whole):
        return 'another result, and memory is not named'
    return None if ran.stdout + ran.stderr else 'nothing was said'
