"""Programs of this folder as models, with every atomic operation and futex that they perform:
MODELS has the texts for right and wrong, by program and case."""
LIBSTDCXX = "12"  # the version that cxx20 is a model of
TRIES = 16  # before a thread goes to sleep

LOCK = """  int {0}won = cas({0}, 0, 1);
  if (!{0}won) {{
    int {0}was = exchange({0}, 2);
    while ({0}was != 0) {{
      futex_wait({0}, 2);
      {0}was = exchange({0}, 2);
    }}
  }}
"""
UNLOCK = """  int {0}old = exchange({0}, 0);
  if ({0}old == 2) futex_wake({0}, 1);
"""


def both(first, second):
    return (LOCK.format(first) + LOCK.format(second) + UNLOCK.format(second) + UNLOCK.format(first))


def threads(objects, *bodies):
    return f"atomic int {objects};\n" + "".join(f"thread t{i} {{\n{body}\n}}\n" for i, body in enumerate(bodies))


def wait(word, value, attempt):
    """Tries (`attempt` sets done), and sleeps as long as the word is what `value` gave before."""
    return f"""  int done = 0;
  while (!done) {{
    int seen = {value};
    int i = 0;
    while (i < {TRIES} && !done) {{ {attempt} i = i + 1; }}
    if (!done) {{ futex_wait({word}, seen); {attempt} }}
  }}
"""


def counted(text):
    """A waiter that says that it is there."""
    return f"  fetch_add(waiting, 1);\n{text}  fetch_add(waiting, -1);\n"


def notify(word, most):
    return f"{{ int there = load(waiting); if (there != 0) futex_wake({word}, {most}); }}\n"


COUNT_DOWN = "  int old = fetch_add(a, -1);\n  if (old == 1) " + notify("a", 9)
LATCH = counted(wait("a", "load(a)", "int x = load(a); if (x == 0) done = 1;"))
ACQUIRE = wait("s", "load(s)", "int x = load(s); if (x != 0) done = cas(s, x, x - 1);")
RELEASE = "  int old = fetch_add(s, 1);\n  if (old <= 0) futex_wake(s, 9);\n"
AWAIT = counted(wait("word", "0", "int x = load(word); if (x != 0) done = 1;"))
ADD = "  fetch_add(word, 1);\n"
SLOW_ADD = "  int x = fetch_add(word, 0);\n  exchange(word, x + 1);\n"

TELL, SAY = "  store(value, 1);\n", "  store(flag, 1);\n"
HEAR = "  int f = load(flag);\n  if (f == 1) { int v = load(value); assert(v == 1); }\n"
IN = "  if (there != 1) { store(inside, 1 + %d); int i = load(inside); assert(i == 1 + %d); }\n"
WANT, LOOK = "  store(f%d, 1);\n", "  int there = load(f%d);\n"
BOTH = "  store(first, 1);\n  store(second, 1);\n  store(sequence, 2);\n"
READ = """  int before = load(sequence);
  int a = load(first);
  int b = load(second);
  if (before % 2 == 0) { int after = load(sequence); if (after == before) { assert(a == b); } }
"""


def enter(me, wrong):
    want, look = WANT % me, LOOK % (1 - me)
    return (look + want if wrong else want + look) + IN % (me, me)


MODELS = {
    ("glib", "mutex"): (threads("p, q", both("p", "q"), both("p", "q")), threads("p, q", both("p", "q"), both("q", "p"))),
    ("cxx20", "latch"): (threads("waiting, a = 2", COUNT_DOWN, COUNT_DOWN, LATCH), threads("waiting, a = 3", COUNT_DOWN, COUNT_DOWN, LATCH)),
    ("cxx20", "semaphore"): (threads("s", ACQUIRE, RELEASE), threads("s", ACQUIRE + ACQUIRE.replace("int done", "done"), RELEASE)),
    # Right, and with a deadlock: what a thread sleeps at was read before it tried.
    ("cxx20", "lock"): (threads("s = 1", ACQUIRE + RELEASE, ACQUIRE + RELEASE),),
    ("cxx20", "wait"): (threads("waiting, word", AWAIT, ADD + notify("word", 1)), threads("waiting, word", AWAIT, notify("word", 1) + ADD)),
    ("cxx20", "jthread"): (threads("word", ADD, ADD), threads("word", SLOW_ADD, SLOW_ADD)),
    ("loads", "flags"): (threads("flag, value", TELL + SAY, HEAR), threads("flag, value", SAY + TELL, HEAR)),
    ("loads", "dekker"): tuple(threads("f0, f1, inside", enter(0, wrong), enter(1, wrong)) for wrong in (False, True)),
    ("loads", "seqlock"): (threads("sequence, first, second", "  store(sequence, 1);\n" + BOTH, READ), threads("sequence, first, second", BOTH, READ)),
}
