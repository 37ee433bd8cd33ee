#!/usr/bin/env python3
"""Algorithm 1 of "Awaiting for Godot" as it is printed, for one variable, against all
interleavings: which executions it loses of the programs of doc/odpor.md, in every order of the
threads, and that it loses none of them with the stopping rule and line 11 as that page corrects
them. Without arguments a test; with --print what the page says. Comments name the lines of the
algorithm. Events are (thread, number); programs are small, and nothing is meant to be fast."""
import itertools
import sys

WRITES = ("add", "store", "exchange_await")
WAITS = ("await", "exchange_await")
RELATIONS = {"==": int.__eq__, "!=": int.__ne__, "<=": int.__le__, ">=": int.__ge__}

PROGRAMS = {
    "stopping rule": {"p": [("add", 2), ("store", 0)], "q": [("add", 2)], "r": [("await", "==", 2)]},
    "read and exchange-await": {"p": [("load",), ("load",)], "q": [("exchange_await", "==", 0, 1)]},
    "stopping rule, two exchange-awaits": {"p": [("add", 1)], "q": [("add", 1), ("exchange_await", "==", 2, 1)], "r": [("exchange_await", "!=", 2, 0)]},
    "stopping rule, comparisons": {"p": [("add", 2), ("exchange_await", ">=", 0, 1)], "q": [("exchange_await", "<=", 2, 2)], "r": [("add", 2)]},
}
# What is lost as printed, by order of the threads; nothing in the others.
LOST = {
    "stopping rule": {"pqr": ["q1 r1 p1 p2"], "prq": ["q1 r1 p1 p2"], "rpq": ["q1 r1 p1 p2"]},
    "read and exchange-await": {"pq": ["p1 q1 p2", "q1 p1 p2"]},
    "stopping rule, two exchange-awaits": {"pqr": ["q1 r1 p1"], "prq": ["q1 r1 p1"], "qpr": ["p1 r1 q1"], "qrp": ["p1 r1 q1"], "rpq": ["q1 r1 p1"], "rqp": ["p1 r1 q1"]},
    "stopping rule, comparisons": {"pqr": ["r1 q1 p1 p2"], "prq": ["r1 q1 p1 p2"], "qpr": ["r1 q1 p1 p2"]},
}


class Explorer:
    def __init__(self, program, order, corrected):
        self.program, self.order, self.corrected = program, order, corrected
        self.found, self.sleep, self.trees, self.under_way = [], {(): set()}, {(): []}, set()

    def operation(self, event):
        return self.program[event[0]][event[1]]

    def next(self, execution, thread):
        number = sum(event[0] == thread for event in execution)
        return (thread, number) if number < len(self.program[thread]) else None

    def value(self, execution):
        value = 0
        for event in execution:
            kind, *rest = self.operation(event)
            value = value + rest[0] if kind == "add" else rest[0] if kind == "store" else rest[2] if kind == "exchange_await" else value
        return value

    def is_enabled(self, execution, event):
        kind, *rest = self.operation(event)
        return kind not in WAITS or RELATIONS[rest[0]](self.value(execution), rest[1])

    def enabled(self, execution):
        following = [self.next(execution, thread) for thread in self.order]
        return [event[0] for event in following if event and self.is_enabled(execution, event)]

    def dependent(self, a, b):
        kinds = self.operation(a)[0], self.operation(b)[0]
        return a[0] == b[0] or (any(kind in WRITES for kind in kinds) and kinds != ("add", "add"))

    def after(self, execution, first):
        """Positions of what happens after an event, itself included."""
        positions = {first}
        for j in range(first + 1, len(execution)):
            if any(i in positions and self.dependent(execution[i], execution[j]) for i in range(first, j)):
                positions.add(j)
        return positions

    def trace(self, execution):
        pairs = itertools.combinations(execution, 2)
        return frozenset(execution), frozenset(pair for pair in pairs if self.dependent(*pair))

    def weak_initial(self, execution, sequence, thread):
        event = self.next(execution, thread)
        for other in sequence:
            if other[0] == thread:
                return True
            if self.dependent(event, other):
                return False
        return True

    def insert(self, sequence, execution):  # lines 34 to 45
        # Lines 6 and 21.
        if any(self.weak_initial(execution, sequence, thread) for thread in self.sleep[tuple(execution)]):
            return
        tree, here, sequence = self.trees[tuple(execution)], list(execution), list(sequence)
        while True:
            child = next((c for c in tree if self.weak_initial(here, sequence, c[0])), None)
            if child is None:
                break
            event = self.next(here, child[0])
            if event not in sequence or sequence == [event]:
                return
            sequence.remove(event)
            here.append(event)
            if not child[1] and tuple(here) not in self.under_way:
                return
            tree = child[1]
        for event in sequence:
            tree.append((event[0], []))
            tree = tree[-1][1]

    def races(self, execution):  # lines 3 to 6
        for k, j in itertools.combinations(range(len(execution)), 2):
            a, b = execution[k], execution[j]
            if a[0] == b[0] or not self.dependent(a, b) or self.operation(b)[0] in WAITS:
                continue
            later = self.after(execution, k)
            if not any(m in later and j in self.after(execution, m) for m in range(k + 1, j)):
                self.insert([execution[i] for i in range(k + 1, len(execution)) if i not in later] + [b], execution[:k])

    def prefixes(self, start, rest, event):
        """The maximal happens-before prefixes of what is left after which the event is enabled
        (lines 17 and 18)."""
        found = []
        for size in range(len(rest), -1, -1):
            for chosen in map(set, itertools.combinations(range(len(rest)), size)):
                closed = all(i in chosen for j in chosen for i in range(j) if self.dependent(rest[i], rest[j]))
                u = [rest[i] for i in sorted(chosen)]
                if closed and self.next(start + u, event[0]) == event and self.is_enabled(start + u, event) and not any(chosen < f for f in found):
                    found.append(chosen)
                    yield u

    def waits(self, execution):  # lines 7 to 22
        positions = [(e, j) for j, e in enumerate(execution) if self.operation(e)[0] in WAITS]
        positions += [(e, len(execution)) for e in (self.next(execution, p) for p in self.order) if e]
        for event, end in positions:
            can_stop = False
            for k in range(end - 1, -1, -1):
                kind = self.operation(execution[k])[0]
                reads_too = self.corrected and self.operation(event)[0] == "exchange_await"
                if execution[k][0] == event[0] or (kind not in WRITES and not reads_too):  # line 11
                    continue
                later = self.after(execution, k)
                rest = [execution[i] for i in range(k + 1, len(execution)) if i not in later and not (execution[i][0] == event[0] and execution[i] >= event)]
                conflicts = kind in ("store", "exchange_await")
                can_stop = conflicts if self.corrected else can_stop or conflicts  # line 15
                inserted = False
                for u in self.prefixes(execution[:k], rest, event):
                    inserted = True
                    self.insert(u + [event], execution[:k])
                if can_stop and inserted:
                    break

    def explore(self, execution):
        enabled, here = self.enabled(execution), tuple(execution)
        if not enabled:
            self.found.append(list(execution))
            self.races(execution)
            self.waits(execution)
            return
        tree = self.trees[here]
        if not tree:
            # An error if it is blocked by sleep sets.
            tree.append(([thread for thread in enabled if thread not in self.sleep[here]][0], []))
        self.under_way.add(here)
        while tree:
            thread, below = tree[0]
            event = self.next(execution, thread)
            longer = execution + [event]
            self.sleep[tuple(longer)] = {q for q in self.sleep[here] if q != thread and not self.dependent(self.next(execution, q), event)}
            self.trees[tuple(longer)] = below
            self.explore(longer)
            self.sleep[here].add(thread)
            tree.pop(0)
        self.under_way.remove(here)


def all_traces(program):
    explorer, traces = Explorer(program, sorted(program), False), {}

    def walk(execution):
        enabled = explorer.enabled(execution)
        for thread in enabled:
            walk(execution + [explorer.next(execution, thread)])
        if not enabled:
            traces.setdefault(explorer.trace(execution), execution)

    walk([])
    return traces


def text(execution):
    return " ".join(f"{thread}{number + 1}" for thread, number in execution)


def main():
    wrong = 0
    for name, program in PROGRAMS.items():
        traces = all_traces(program)
        for order in itertools.permutations(sorted(program)):
            for corrected in (False, True):
                explorer = Explorer(program, order, corrected)
                explorer.explore([])
                seen = [explorer.trace(execution) for execution in explorer.found]
                lost = [text(execution) for trace, execution in traces.items() if trace not in seen]
                if lost != ([] if corrected else LOST[name].get("".join(order), [])) or len(set(seen)) != len(seen):
                    print(f"{name}, {''.join(order)}, {'corrected' if corrected else 'as printed'}: lost {lost}")
                    wrong += 1
                elif "--print" in sys.argv and not corrected:
                    print(f"{name}, {''.join(order)}: {len(seen)} of {len(traces)}, lost {', '.join(lost) or 'none'}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
