#!/usr/bin/env python3
"""redundant_runs.py [--quick] [--out FILE.svg]: how many runs are redundant, by k.

To be read from the top to the bottom, and run by parts in an editor that knows `# %%`. It draws
what Table 1 of "Quasi-Optimal Partial Order Reduction" (Nguyen, Rodríguez, Sousa, Coti, Petrucci,
CAV 2018) has as numbers: programs whose redundant executions vanish as k grows. An optimal
exploration runs each trace once, but has to solve an NP-complete problem for that; k-partial
alternatives solve a part of it, in polynomial time.
"""
import argparse
import math
import sys

import unfold
from unfold import Algorithm
from unfold import operations as op

# %% The programs. Threads are generators; what stands between two yields belongs to one step.
# `shared` is the memory, made anew for each execution.


class Shared:
    """Variables of the programs."""
    value = 0


def locked(mutex, work=lambda: None):
    """Does something with a mutex."""
    yield op.lock(mutex)
    work()
    yield op.unlock(mutex)


def entangled(unfolding, writers, _):
    """Fig. 1 (a): which writer the master meets depends on how far the counter is."""
    counter_lock = unfolding.mutex(0)
    locks = [unfolding.mutex(1 + i) for i in range(writers)]

    def writer(number):
        return lambda shared: locked(locks[number])

    def counter(shared):
        for number in range(1, writers):
            yield from locked(counter_lock, lambda: setattr(shared, "value", number))

    def master(shared):
        yield op.lock(counter_lock)
        found = shared.value
        yield op.unlock(counter_lock)
        yield from locked(locks[found])
    bodies = [writer(number) for number in range(writers)] + [counter, master]
    return {unfolding.thread(i, start=True): body for i, body in enumerate(bodies)}


def dispatcher(unfolding, servers, requests):
    """DISP: for each request a thread picks a server, and the main thread calls it."""
    main = unfolding.thread(0, start=True)
    server = [unfolding.thread(i, main) for i in range(servers)]
    picker = [unfolding.thread(servers + i, main) for i in range(requests)]
    choice, locks = unfolding.mutex(0), [unfolding.mutex(1 + i) for i in range(servers)]

    def run(shared):
        for thread in server:
            yield op.create(thread)
        for thread in picker:
            yield op.create(thread)
            yield op.lock(choice)
            found = shared.value
            yield op.unlock(choice)
            yield from locked(locks[found])
            yield op.join(thread)

    def pick(shared):
        for number in range(servers):
            yield from locked(choice, lambda: setattr(shared, "value", number))
    return {main: run, **dict.fromkeys(picker, pick),
            **{thread: (lambda shared, i=i: locked(locks[i])) for i, thread in enumerate(server)}}


def pool(unfolding, workers, rounds):
    """POL: for each round a thread chooses, and another one goes to the worker that is chosen."""
    main = unfolding.thread(0, start=True)
    worker = [unfolding.thread(i, main) for i in range(workers)]
    chooser = [unfolding.thread(workers + i, main) for i in range(rounds)]
    caller = [unfolding.thread(workers + rounds + i, main) for i in range(rounds)]
    choice, locks = unfolding.mutex(0), [unfolding.mutex(1 + i) for i in range(workers)]

    def run(_shared):
        for thread in worker:
            yield op.create(thread)
        for pair in zip(chooser, caller):
            for thread in pair:
                yield op.create(thread)
            for thread in pair:
                yield op.join(thread)
        for thread in worker:
            yield op.join(thread)

    def choose(shared):
        for number in range(1, workers):
            yield from locked(choice, lambda: setattr(shared, "value", number))

    def call(shared):
        yield op.lock(choice)
        found = shared.value
        yield op.unlock(choice)
        yield from locked(locks[found])
    return {main: run, **dict.fromkeys(chooser, choose), **dict.fromkeys(caller, call),
            **{thread: (lambda shared, i=i: locked(locks[i])) for i, thread in enumerate(worker)}}


def producers(unfolding, count, workers):
    """MPC: what producers left in a buffer says which worker each of them meets."""
    main = unfolding.thread(0, start=True)
    worker = [unfolding.thread(i, main) for i in range(workers)]
    producer = [unfolding.thread(workers + i, main) for i in range(count)]
    buffer, locks = unfolding.mutex(0), [unfolding.mutex(1 + i) for i in range(workers)]

    def run(_shared):
        for thread in worker + producer:
            yield op.create(thread)

    def work(number):
        def body(_shared):
            yield from locked(locks[number])
            yield from locked(locks[number])
        return body

    def produce(number):
        def body(shared):
            found = 0
            for _ in range(2):
                yield op.lock(buffer)
                found = shared.value = (shared.value * count + number) & 0xffffffff
                yield op.unlock(buffer)
            yield from locked(locks[found % workers])
        return body
    return {main: run, **{thread: work(i) for i, thread in enumerate(worker)},
            **{thread: produce(i) for i, thread in enumerate(producer)}}


# %% One exploration. `greedy` is off, so that the search is the one of the paper; the library's own
# default also takes, in one pass, what it can get of the other spikes.

def explore(program, first, second, algorithm=Algorithm.QPOR, k=unfold.K_OPTIMAL, greedy=False):
    """Traces and redundant runs of a program."""
    with unfold.Context() as context:
        unfolding = unfold.Unfolding(context)
        threads = program(unfolding, first, second)
        explorer = unfold.Explorer(unfolding, algorithm=algorithm,
                                   alternative=unfold.AlternativeOptions(k=k, greedy=greedy))
        counts = explorer.explore(unfold.Program(threads, Shared))
        return counts.traces, counts.redundant


# %% All of them: for each program the redundant runs of source sets (SDPOR), of k = 1, 2, 3, 4 and
# of an optimal exploration.

WAYS = {"SDPOR": {"algorithm": Algorithm.SDPOR}, "k = 1": {"k": 1}, "k = 2": {"k": 2},
        "k = 3": {"k": 3}, "k = 4": {"k": 4}, "optimal": {}}
PROGRAMS = [("Fig. 1, 10 writers", entangled, 10, 0), ("DISP(5,3)", dispatcher, 5, 3),
            ("MPC(3,5)", producers, 3, 5), ("POL(5,3)", pool, 5, 3)]  # about two minutes
QUICK = [("Fig. 1, 6 writers", entangled, 6, 0), ("DISP(5,2)", dispatcher, 5, 2),
         ("MPC(2,5)", producers, 2, 5), ("POL(3,3)", pool, 3, 3)]


def table(programs):
    """Rows of name, traces, and redundant runs for each way; printed as they come."""
    print(f"{'':18}{'traces':>8}" + "".join(f"{way:>9}" for way in WAYS))
    rows = []
    for name, program, first, second in programs:
        found = [explore(program, first, second, **options) for options in WAYS.values()]
        traces = {one for one, _ in found}
        assert len(traces) == 1, "the traces are the program's, whatever the way"
        rows.append((name, traces.pop(), [redundant for _, redundant in found]))
        print(f"{name:18}{rows[-1][1]:8}" + "".join(f"{one:9}" for one in rows[-1][2]), flush=True)
    return rows


# %% The picture. A logarithmic scale with a place for 0, by hand, so that no package is needed.

COLOURS = ["#1b6ca8", "#c0392b", "#27825d", "#8e5ea2", "#b7791f"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 190, 40, 60


def picture(rows):
    """The rows as SVG."""
    most = max(max(redundant) for _, _, redundant in rows)
    decades = max(1, math.ceil(math.log10(most + 1)))

    def x(column):
        return LEFT + column * (WIDTH - LEFT - RIGHT) / (len(WAYS) - 1)

    def y(value):
        part = 0 if value == 0 else (1 + math.log10(value)) / (1 + decades)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    def text(at_x, at_y, anchor, what, colour="#333"):
        return (f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" fill="{colour}">'
                f"{what}</text>")
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text(LEFT, 22, "start", "Redundant runs, by the way of finding alternatives")]
    for value in [0] + [10**power for power in range(decades + 1)]:
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y(value) + 4, "end", value))
    for column, way in enumerate(WAYS):
        parts.append(text(x(column), HEIGHT - BOTTOM + 22, "middle", way))
    for number, (name, traces, redundant) in enumerate(rows):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{x(c):.1f},{y(value):.1f}" for c, value in enumerate(redundant))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(c):.1f}" cy="{y(value):.1f}" r="3.5" fill="{colour}"/>'
                  for c, value in enumerate(redundant)]
        parts.append(text(WIDTH - RIGHT + 16, TOP + 20 * (number + 1), "start",
                          f"{name}, {traces} traces", colour))
    return "\n".join(parts) + "\n</svg>\n"


# %% Run it.

def main():
    """Prints the table and writes the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="smaller programs")
    parser.add_argument("--out", help="where the picture goes")
    given = parser.parse_args()
    rows = table(QUICK if given.quick else PROGRAMS)
    if given.out:
        with open(given.out, "w", encoding="utf-8") as file:
            file.write(picture(rows))
    return 0 if all(redundant[-1] == 0 for _, _, redundant in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
