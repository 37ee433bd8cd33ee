"""Reads the journal of an exploration by several processes (doc/formats.md), while it is written or
when its coordinator was killed: how many executions count."""
import json

HEAD, KNOWN, REPORT = 24, 1, 5
# Of a report: item, finished, two sizes; then the sums, of which this is that of executions.
EXECUTIONS = 8 * (4 + 6)


def segments(folder):
    return sorted(folder.glob("*.unfj"))


def entries(path):
    """Kind and bytes of each that is whole."""
    try:
        text = path.read_bytes()
    except OSError:  # there is a newer one since
        return
    at = 0
    while at + HEAD <= len(text):
        size, kind = (int.from_bytes(text[at + i:at + i + 8], "little") for i in (0, 16))
        if at + HEAD + size > len(text):
            return
        yield kind, text[at + HEAD:at + HEAD + size]
        at += HEAD + size


def committed(folder):
    """Executions that count by the last segment; 0: there is none."""
    sum = 0
    for kind, text in entries(segments(folder)[-1]) if segments(folder) else ():
        if kind == KNOWN:
            sum += json.loads(text)["known"]["counts"]["executions"]
        if kind == REPORT:
            sum += int.from_bytes(text[EXECUTIONS:EXECUTIONS + 8], "little")
    return sum
