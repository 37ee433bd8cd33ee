#!/usr/bin/env python3
"""One random program in two languages: same_races.py UNFOLD CALLBACKS-LIBRARY UNFOLD-MODEL
[PROGRAMS [SEED]].

Each program is written in the model language and in C, statement by statement on the same lines.
Both are explored, and both front-ends must report the same pairs of lines that race, and, where
there are none, count the same traces. The C program goes through the callbacks, the model through
its interpreter, and the model's races are compared with their definition by tests/random."""
import json
import os
import random
import sys
import tempfile

from common import BACKENDS, compiled, linked_with, run

UNFOLD, CALLBACKS, MODEL = (os.path.abspath(p) for p in sys.argv[1:4])
PROGRAMS = int(sys.argv[4]) if len(sys.argv) > 4 else 24
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 1
CELLS, MUTEXES = 3, 2

# what is written in the model language, and in C
CALLS = {"lock": ("lock(m[{}]);", "pthread_mutex_lock(&m[{}]);"), "unlock": ("unlock(m[{}]);", "pthread_mutex_unlock(&m[{}]);"),
         "read": ("rdlock(k);", "pthread_rwlock_rdlock(&k);"), "write": ("wrlock(k);", "pthread_rwlock_wrlock(&k);"),
         "back": ("unlock(k);", "pthread_rwlock_unlock(&k);"), "post": ("post(e);", "sem_post(&e);"), "take": ("sem_wait(e);", "sem_wait(&e);"),
         "spawn": ("spawn(t{0});", "pthread_create(&threads[{0}], NULL, t{0}, NULL);"), "join": ("join(t{0});", "pthread_join(threads[{0}], NULL);"),
         "try": ("int r{0} = trylock(m[0]); if (r{0}) {{", "int r{0} = pthread_mutex_trylock(&m[0]) == 0; if (r{0}) {{"),
         "else": ("unlock(m[0]); }} else {{", "pthread_mutex_unlock(&m[0]); }} else {{"), "end": ("}}", "}}"),
         "set": ("s[{}] = {};", "s[{}] = {};"), "get": ("int r{} = s[{}];", "int r{0} = s[{1}]; (void)r{0};"),
         "change": ("s[{}] = s[{}] % 2;", "s[{}] = s[{}] % 2;")}


class Writer:
    def __init__(self, draw):
        self.draw, self.model, self.c, self.registers = draw, [], [], 0
        self.careful = draw.randrange(2) == 0  # accesses are made under the first mutex
        self.held = False
        # The reader-writer lock: taken again it is an error in C, and blocks in the model.
        self.inside = False

    def line(self, model, c):
        self.model.append(model)
        self.c.append(c)

    def say(self, call, *operands):
        model, c = CALLS[call]
        self.line(model.format(*operands), c.format(*operands))

    def register(self):
        self.registers += 1
        return self.registers

    def access(self):
        if self.careful and not self.held and self.draw.randrange(40) > 0:
            self.say("post")
            return
        kind, cell = self.draw.randrange(3), self.draw.randrange(CELLS)
        if kind == 0:
            self.say("set", cell, self.draw.randrange(3))
        elif kind == 1:
            self.say("get", self.register(), cell)
        else:
            self.say("change", cell, self.draw.randrange(CELLS))

    def statement(self, depth):
        kind = self.draw.randrange(100 if depth < 2 else 60)
        if kind < 50:
            self.access()
        elif kind < 56:
            self.say("post")
        elif kind < 60:
            self.say("take")
        elif kind < 80:
            mutex = 0 if self.careful else self.draw.randrange(MUTEXES)
            if mutex == 0 and self.held:
                return
            self.say("lock", mutex)
            self.held = self.held or mutex == 0
            self.statements(depth + 1, 3)
            self.held = self.held and mutex != 0
            self.say("unlock", mutex)
        elif kind < 88:
            if self.held:
                return
            self.say("try", self.register())
            self.held = True
            self.statements(depth + 1, 2)
            self.held = False
            self.say("else")
            self.statements(depth + 1, 2)
            self.say("end")
        elif not self.inside:
            self.inside = True
            self.say("read" if kind < 94 else "write")
            self.statements(depth + 1, 2)
            self.inside = False
            self.say("back")

    def statements(self, depth, most):
        for _ in range(1 + self.draw.randrange(most)):
            self.statement(depth)


def write(draw):
    """The text of a program in both languages."""
    w, count = Writer(draw), 2 + draw.randrange(2)
    value = draw.randrange(2)
    w.line(f"shared int s[{CELLS}]; mutex m[{MUTEXES}]; rwlock k; semaphore e = {value};",
           f"#include <pthread.h>\n#include <semaphore.h>\n#include <stddef.h>\nstatic int s[{CELLS}]; static pthread_mutex_t m[{MUTEXES}] = "
           "{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}; static pthread_rwlock_t k = PTHREAD_RWLOCK_INITIALIZER; "
           f"static sem_t e; static pthread_t threads[{count + 1}];\n#line 2")
    for t in range(1, count + 1):
        w.line(f"thread t{t} {{", f"static void *t{t}(void *unused) {{")
        w.statements(0, 4)
        w.line("}", "return unused; }")
    w.line("thread main {", f"int main(void) {{ sem_init(&e, 0, {value});")
    for t in range(1, count + 1):
        w.say("spawn", t)
        if draw.randrange(3) == 0:
            w.access()
    w.statements(0, 2)
    for t in range(1, count + 1):
        if draw.randrange(3) > 0:
            w.say("join", t)
            w.access()
    w.line("}", "return 0; }")
    return "\n".join(w.model) + "\n", "\n".join(w.c) + "\n"


def explore(*command):
    done = run(*command)
    if done.returncode > 1:
        sys.exit(f"{command}: {done.returncode} {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def pairs(result):
    return sorted({tuple(sorted(int(t["place"].split(":")[1]) for t in d["threads"])) for d in result["defects"] if d["kind"] == "race"})


def compare(seed):
    """Whether the program has a race."""
    model, c = write(random.Random(seed))
    with open("program.unf", "w", encoding="utf-8") as file:
        file.write(model)
    with open("program.c", "w", encoding="utf-8") as file:
        file.write(c)
    expected = explore(MODEL, "--json", "program.unf")
    if expected["traces"] > 150:
        return None
    compiled("cc", "-g", "-O0", "-fsanitize=thread", "-c", "program.c", "-o", "program.o")
    compiled("cc", "-pthread", "program.o", *linked_with(CALLBACKS), "-o", "program")
    seen = explore(UNFOLD, "--json", "--races", "--trace-dir", ".", *BACKENDS[seed % 3], "--", "./program")
    same = pairs(seen) == pairs(expected) and (pairs(expected) or seen["traces"] == expected["traces"])
    if not same:
        sys.exit(f"seed {seed}: {seen['traces']} traces and {pairs(seen)}, the model has {expected['traces']} and {pairs(expected)}\n{model}")
    return bool(pairs(expected))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seen = [compare(seed) for seed in range(SEED, SEED + PROGRAMS)]
        os.chdir("/")
    print(f"{len(seen)} programs: {seen.count(True)} with a race, {seen.count(False)} without, {seen.count(None)} too large")


main()
