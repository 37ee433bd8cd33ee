"""What the programs of bench/ have in common: building, running, timing, and the models."""
import csv
import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(TOP, "build-bench")
# Runs are long: what is done is to be seen, also where the output is a file.
sys.stdout.reconfigure(line_buffering=True)


def build(directory, *targets):
    """Builds the library with -O2 and without checks, and these targets, or everything."""
    if not os.path.exists(os.path.join(directory, "build.ninja")):
        subprocess.run(["meson", "setup", directory, TOP, "--buildtype=release", "-Doptimization=2",
                        "-Dtests=false", "-Dbenchmarks=true"],
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", directory, *targets], check=True, stdout=subprocess.DEVNULL)


def benchmark(directory, program, *arguments):
    """The command line of a program of bench/."""
    return [os.path.join(directory, "bench", program)] + [str(a) for a in arguments]


def run(directory, program, *arguments):
    """What a program of bench/ printed as JSON."""
    command = benchmark(directory, program, *arguments)
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def middle(runs, field):
    """The run with the median of a field; other figures but times are the same in every run."""
    runs = sorted(runs, key=lambda r: r[field])
    return runs[len(runs) // 2] | {"runs": [r[field] for r in runs]}


def repeated(count, field, *command):
    return middle([run(*command) for _ in range(count)], field)


def require(what, seen, expected):
    if seen != expected:
        sys.exit(f"{what}: {seen}, expected {expected}")


def peers():
    """The rows of bench/peers.csv: the program, the best peer's figures, and the aim."""
    with open(os.path.join(TOP, "bench", "peers.csv"), newline="") as file:
        return list(csv.DictReader(file))


def known():
    """For each model: options, and complete and blocked executions, of the last row that has it."""
    rows = {}
    with open(os.path.join(TOP, "tests", "golden", "known.csv")) as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            words = ["--ifaa"] * int(row["ifaa"])
            words += [] if row["bound"] == "-" else ["--bound=" + row["bound"]]
            rows[row["program"]] = words, int(row["complete"]), int(row["blocked"])
    return rows


def write_model(name, folder):
    """Writes a program of the families, such as casw-5, into a folder, and gives its path."""
    family, parameters = re.fullmatch(r"(.+?)((?:-\d+)+)", name).groups()
    generator = os.path.join(TOP, "examples", "model", "families", "generate.py")
    path = os.path.join(folder, name + ".unf")
    with open(path, "w") as file:
        subprocess.run([sys.executable, generator, family, *parameters.split("-")[1:]],
                       check=True, stdout=file)
    return path


def timed(command):
    """What the command printed as JSON, its processor time and that of its children, and the most
    memory that it had, in MB."""
    reading, writing = os.pipe()
    # A process has the memory of the one that it was made from until it is another program: hence
    # a small one between.
    child = os.posix_spawn("/bin/sh", ["sh", "-c", '"$@"; exit $?', "sh", *command], os.environ,
                           file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1),
                                         (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    usage = os.wait4(child, 0)[2]
    result = json.loads(text)
    return result, usage.ru_utime + usage.ru_stime, result["peak_rss_bytes"] / 1e6


# Pairs of events that are ordered in the executions of bench/executions.c.
ORDERED = 3 * 2690588


def reference(directory):
    """The seconds of bench/executions.c, a measure of the machine in the state that it is in now:
    timed next to an exploration, it makes the ratio of the two hold on any machine."""
    result = run(directory, "unfold-bench-executions")
    require("ordered pairs of the reference", result["ordered"], ORDERED)
    return result["seconds"]


def scaled(peer, beside):
    """The ratio to the best peer on its machine, if the library gained as much there on the
    reference: `beside` is the ratio of the reference to the library here. None: not recorded."""
    if not peer["library"]:
        return None
    return float(peer["peer_low"]) / float(peer["library"]) * beside / float(peer["reference"])


def require_count(what, result, count):
    """The number of executions must be the published one, none of them redundant."""
    require(f"{what}: complete, blocked and redundant executions",
            (result["complete"], result["blocked"], result["redundant"]), (*count, 0))
