"""A second reader of the STD format, from doc/formats.md alone: traces as Python objects, with
happens-before by vector clocks and data races by comparing all pairs."""
import re

NAME = r"[\x20-\x7b}~\x80-\U0010ffff]+"  # printable, without a bar; spaces too
WORD = r"[!-\x27*-\x7b}~\x80-\U0010ffff]+"
OPERAND = r"\(([!-\x7b}~\x80-\U0010ffff]*)\)"
LINE = re.compile(rf"({NAME})\|({WORD})(?:{OPERAND})?\|({NAME})\r?")
OPERATIONS = ("acq", "rel", "r", "w", "fork", "join")
MARKS = ("begin", "end", "enter", "exit", "branch", "dummy")


class Refused(Exception):
    """A line that is malformed, or cannot come where it is; its number is the first argument."""


class Trace:
    def __init__(self, text):
        """text: all lines, as str."""
        self.lines = []
        rows = text.split("\n")
        for number, row in enumerate(rows, 1):
            if number == len(rows) and row == "":
                break
            match = LINE.fullmatch(row)
            if not match:
                raise Refused(number)
            thread, operation, operand, place = match.groups()
            if operation not in OPERATIONS + MARKS or (operation in OPERATIONS and not operand):
                raise Refused(number)
            self.lines.append((thread, operation, operand, place))
        self.follow()

    def follow(self):
        """Whether the lines can come in this order; which are events; their clocks."""
        present, forked, joined, locks = set(), set(), set(), {}
        clocks, released, ended = {}, {}, {}  # by thread, by lock
        self.clock, self.event = [], []
        order = {}
        for number, (thread, operation, operand, _) in enumerate(self.lines, 1):
            present.add(thread)
            if thread in joined:
                raise Refused(number)
            clock = clocks.setdefault(thread, {})
            event = operation in OPERATIONS[:2] + OPERATIONS[4:]
            if operation == "acq":
                owner, depth = locks.get(operand, (thread, 0))
                if depth > 0 and owner != thread:
                    raise Refused(number)
                locks[operand] = thread, depth + 1
                event = depth == 0
                if event:
                    merge(clock, released.get(operand, {}))
            elif operation == "rel":
                owner, depth = locks.get(operand, (None, 0))
                if depth == 0 or owner != thread:
                    raise Refused(number)
                locks[operand] = thread, depth - 1
                event = depth == 1
            elif operation == "fork":
                if operand in present or operand in forked:
                    raise Refused(number)
                forked.add(operand)
            elif operation == "join":
                if operand == thread:
                    raise Refused(number)
                present.add(operand)
                joined.add(operand)
                merge(clock, clocks.get(operand, {}))
            clock[thread] = order[thread] = order.get(thread, 0) + 1
            self.clock.append(dict(clock))
            self.event.append(event)
            if operation == "rel" and event:
                released[operand] = dict(clock)
            if operation == "fork":
                clocks[operand] = dict(clock)

    def before(self, i, j):
        """Whether line i (from 0) comes before line j by threads, locks, forks and joins."""
        thread = self.lines[i][0]
        return i != j and self.clock[i][thread] <= self.clock[j].get(thread, 0)

    def races(self):
        """Pairs of places, with their variable, that race."""
        found = set()
        accesses = [i for i, line in enumerate(self.lines) if line[1] in ("r", "w")]
        for j in accesses:
            for i in accesses:
                one, two = self.lines[i], self.lines[j]
                if i >= j or one[0] == two[0] or one[2] != two[2] or "w" not in (one[1], two[1]):
                    continue
                if not self.before(i, j):
                    found.add((one[2], *sorted((one[3], two[3]))))
        return found

    def closure(self):
        """For each line that is an event, or reads or writes, the lines before it, where accesses
        of one variable are ordered too, but for two reads."""
        causes, last, held, forks, ends = [], {}, {}, {}, {}
        reads, writes = {}, {}
        for i, (thread, operation, operand, _) in enumerate(self.lines):
            access = operation in ("r", "w")
            if not (self.event[i] or access):
                causes.append(None)
                continue
            after = [last.get(thread, forks.get(thread))]
            if operation in ("acq", "rel"):
                after.append(held.get(operand))
                held[operand] = i
            if operation == "join":
                after.append(last.get(operand, forks.get(operand)))
            if operation == "fork":
                forks[operand] = i
            if access:
                after.append(writes.get(operand))
                if operation == "w":
                    after += reads.pop(operand, [])
                    writes[operand] = i
                else:
                    reads.setdefault(operand, []).append(i)
            last[thread] = i
            mine = {k for k in after if k is not None}
            causes.append(mine.union(*(causes[k] for k in mine)))
        return causes


def merge(clock, other):
    for thread, time in other.items():
        clock[thread] = max(clock.get(thread, 0), time)
