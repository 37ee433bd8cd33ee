"""What alike.py and alike_atomics.py share: random programs, each as a text of the model language
and as words for a program in C, whose counts must be the same in both."""
import json
import os
import random
import tempfile

from common import compiled, run

# With more executions a program is left out, for time.
MOST = 1500
KEYS = ("finished", "traces", "complete", "deadlocks", "livelocks", "redundant", "events")


def text(objects, names, said):
    """A model: main starts the threads and waits for them; what each does is given."""
    lines = [objects, "thread main { " + " ".join(f"spawn({n});" for n in names) + " " + " ".join(f"join({n});" for n in names) + " }"]
    lines.extend(f"thread {name} {{ {operations} }}" for name, operations in zip(names, said))
    return "\n".join(lines) + "\n"


def explore(command):
    """The result, or what was said instead."""
    done = run(*command)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {key: done.stdout + done.stderr for key in KEYS}


def counts(result, without):
    return [result[key] for key in KEYS if key not in without]


def compare(commands, compilation, programs, seed, draw_program, without=()):
    """`draw_program(draw, number)` gives a text, options of both programs, options of unfold alone,
    and the words; `without` are keys that may differ. Returns what it gave and the result of unfold
    for each program that was compared, and how many differ."""
    unfold, model = commands
    draw = random.Random(seed)
    compared, wrong = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for command in compilation:
            compiled(*command)
        for number in range(programs):
            given = draw_program(draw, number)
            model_text, options, way, words = given
            with open("p.unf", "w", encoding="utf-8") as file:
                file.write(model_text)
            expected = explore([model, "--json", *options, "--max-executions", str(MOST), "p.unf"])
            if not expected["finished"]:
                continue
            seen = explore([unfold, "--json", *options, *way, "--", "./alike", *words])
            compared.append((given, seen))
            if counts(seen, without) != counts(expected, without):
                wrong += 1
                print(f"FAIL {' '.join(options + way + words)}: {counts(seen, without)}, not {counts(expected, without)} {seen.get('uncontrolled')}\n{model_text}")
        os.chdir("/")
    return compared, wrong
