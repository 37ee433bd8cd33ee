"""What the tests of this folder share: how a program is run, what unfold says of it as JSON, how
something is compared, and how that ends."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from failures import Failures  # noqa: E402 (in the folder above)

# By default all accesses are looked at where that is quick: here, however slow the machine is.
AT_LEISURE = ("--atomics-budget", "10000")
BACKENDS = (["--backend", "threads"], ["--backend", "fibers"], ["--mode", "inprocess"])
# Without Zydis no instructions are looked at: --atomics rmw and all see nothing.
WITHOUT_ZYDIS = "unfold was built without Zydis: "
# What is read of a result, where there was none.
NONE = {"finished": False, "traces": None, "complete": None, "executions": 0, "errors": None, "deadlocks": None, "livelocks": None, "defects": [],
        "unseen": [], "atomics": {}, "stopped": None}
failures = Failures()
# A panic of a Rust program says where it was from only if this is asked for, after much work.
os.environ["RUST_BACKTRACE"] = "0"


def check(what, good, seen=""):
    if not good:
        failures.append(f"{what} {seen}")


def run(*words, text=True, stdin=subprocess.DEVNULL, **how):
    return subprocess.run(words, capture_output=True, text=text, stdin=stdin, check=False, **how)


def result_of(done):
    """The JSON object that was printed; without one, what was said instead is why."""
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {**NONE, "uncontrolled": done.stdout + done.stderr}


def compiled(*words):
    subprocess.run(words, check=True)


def linked_with(library):
    """How a program gets the library of callbacks, which is in the folder of a build."""
    folder = os.path.dirname(library)
    return ("-L" + folder, "-lunfold-callbacks", "-Wl,-rpath," + folder)


def scans(unfold):
    """Whether it can see instructions, for which it needs Zydis."""
    return os.path.exists(os.path.join(os.path.dirname(unfold), "unfold-sites"))


def kinds(result):
    return [d["kind"] for d in result["defects"]]


def perform(parts, names):
    """Those of the functions that are named, or all of them. One for several cases is a pair, of it
    and their names, which is how each is called by itself."""
    calls = {}
    for part in parts:
        function, *cases = part if isinstance(part, tuple) else (part,)
        calls |= {case: (function, case) for case in cases[0]} if cases else {function.__name__: (function,)}
    for name in failures.chosen(calls, names):
        function, *case = calls[name]
        function(*case)


def in_own_folder(tests):
    """Runs them in a folder of their own; the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("traces")
        tests()
        os.chdir("/")
    print("all good" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0
