#!/usr/bin/env python3
"""check_witness.py UNFOLD_SYM SOLVER CLANG [REFUSE_LIBRARY]: violation witnesses (--witness), by a
reader of its own: the keys and types of format 2.2, what its waypoints point to in the source,
threads and their numbers, the hashes. The inputs of a program of one thread, performed natively,
lead to the error. What there are no witnesses of is said by its name. Where an allocation is
refused, the same witness is written, or none, and memory is named."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import uuid

import yaml

SYM, SOLVER, CLANG = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
LOCATION = {"file_name": str, "line": int}
METADATA = {"format_version": str, "uuid": str, "creation_time": str, "producer": dict,
            "task": dict}
TASK = {"input_files": list, "input_file_hashes": dict, "specification": str, "data_model": str,
        "language": str}
FORMATS = {"assumption": "c_expression", "function_return": "ext_c_expression"}
RANGES = {"int": (-2**31, 2**31), "uchar": (0, 2**8), "char": (-2**7, 2**7), "ushort": (0, 2**16),
          "long": (-2**63, 2**63), "ulong": (0, 2**64), "bool": (0, 2)}

DECLARATIONS = """#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern void __VERIFIER_assume(int);
extern void klee_make_symbolic(void *, unsigned long, const char *);
extern void reach_error(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int data;
static unsigned char input;
"""
PROGRAMS = {
    "lazy": ("G ! call(reach_error())", """
static void *add_one(void *unused) {
  pthread_mutex_lock(&m);
  data += 1;
  pthread_mutex_unlock(&m);
  return unused;
}
static void *add_input(void *unused) {
  input = __VERIFIER_nondet_uchar();
  pthread_mutex_lock(&m);
  data += input;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t a, b;
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x < -3);
  pthread_create(&a, 0, add_one, 0);
  pthread_create(&b, 0, add_input, 0);
  pthread_join(a, 0);
  pthread_mutex_lock(&m);
  if (data == 201)
    reach_error();
  pthread_mutex_unlock(&m);
  return 0;
}
"""),
    "race": ("G ! data-race", """
static void *writer(void *unused) {
  pthread_mutex_lock(&m);
  data = 1;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    pthread_create(&threads[i], 0, writer, 0);
  }
  if (__VERIFIER_nondet_char() == 'x') {
    data = 2;
  }
  return 0;
}
"""),
    "asserted": ("G ! call(__assert_fail())", """
int main(void) {
  unsigned long x = __VERIFIER_nondet_ulong();
  long y = __VERIFIER_nondet_long();
  unsigned short z = __VERIFIER_nondet_ushort();
  assert(x != 18446744073709551614ul || y != -9223372036854775807l - 1 || z != 65535);
  return 0;
}
"""),
    "numbers": ("G ! call(reach_error())", """
int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    sum = 10 * sum + __VERIFIER_nondet_uchar();
  if (sum == 1230 && __VERIFIER_nondet_char() == -7 && __VERIFIER_nondet_ulong() > (1ul << 63))
    reach_error();
  return 0;
}
"""),
    "many": ("G ! call(reach_error())", """
static void *child(void *unused) {
  pthread_t grandchild;
  pthread_mutex_lock(&m);
  data++;
  pthread_mutex_unlock(&m);
  if (unused == 0)
    pthread_create(&grandchild, 0, child, &data);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, child, 0);
  pthread_create(&b, 0, child, 0);
  pthread_mutex_lock(&m);
  if (data == 4) reach_error();
  pthread_mutex_unlock(&m);
  return 0;
}
"""),
}
REFUSED = {
    "deadlock": ("not of deadlock", """
static void *other(void *unused) {
  pthread_mutex_lock(&n);
  pthread_mutex_lock(&m);
  return unused;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, other, 0);
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&n);
  return 0;
}
"""),
    "memory": ("not of memory", "int main(void) { int *p = 0; return *p; }\n"),
    "right": ("nothing was found", "int main(void) { return 0; }\n"),
    "bytes": ("not the result of __VERIFIER_nondet_", """
int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x == 5) reach_error();
  return 0;
}
"""),
}


def explore(folder, *arguments, date="86400"):
    environment = dict(os.environ)
    environment.pop("SOURCE_DATE_EPOCH", None)
    if date is not None:
        environment["SOURCE_DATE_EPOCH"] = date
    return subprocess.run([SYM, "--solver", SOLVER, "--max-seconds", "60", "--races=continue",
                           *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def has(value, keys, optional=()):
    assert set(value) - set(optional) == set(keys), (value, keys)
    for key, kind in keys.items():
        assert type(value[key]) is kind, (key, value[key])


def check(folder, file, specification):
    """The whole of a witness; its waypoints."""
    entries = yaml.safe_load((folder / "w.yml").read_text())
    source = (folder / file).read_text()
    lines = source.splitlines()
    entry, = entries
    has(entry, {"entry_type": str, "metadata": dict, "content": list})
    assert entry["entry_type"] == "violation_sequence"
    metadata = entry["metadata"]
    has(metadata, METADATA)
    assert metadata["format_version"] == "2.2"
    assert uuid.UUID(metadata["uuid"]).variant == uuid.RFC_4122
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["creation_time"])
    has(metadata["producer"], {"name": str, "version": str})
    task = metadata["task"]
    has(task, TASK)
    assert task["input_files"] == [file]
    assert task["language"] == "C" and task["data_model"] == "LP64"
    assert task["input_file_hashes"] == {file: hashlib.sha256(source.encode()).hexdigest()}
    assert task["specification"] == specification, task
    threads, waypoints = 1, []
    for number, part in enumerate(entry["content"]):
        has(part, {"segment": list})
        last = number == len(entry["content"]) - 1
        assert len(part["segment"]) == (2 if last and "race" in specification else 1)
        for element in part["segment"]:
            has(element, {"waypoint": dict})
            w = element["waypoint"]
            has(w, {"type": str, "action": str, "thread_id": int, "location": dict}, ["constraint"])
            has(w["location"], LOCATION, ["column"])
            assert w["action"] == "follow" and w["location"]["file_name"] == file
            assert (w["type"] == "target") == last, w
            assert 0 <= w["thread_id"] < threads, (w, "a thread that was not made")
            line = lines[w["location"]["line"] - 1]
            assert ("constraint" in w) == (w["type"] in FORMATS), w
            if "constraint" in w:
                has(w["constraint"], {"format": str, "value": str})
                assert w["constraint"]["format"] == FORMATS[w["type"]]
            if w["type"] == "function_enter":
                assert "pthread_create(" in line, line
                threads += 1
            if w["type"] == "function_return":
                column = w["location"]["column"]
                assert line[column - 2:column] == "()", (line, column)
                kind = re.search(r"__VERIFIER_nondet_(\w+)\($", line[:column - 1]).group(1)
                value = re.fullmatch(r"\\result == (-?\d+|\(-\d+ - 1\))U?",
                                     w["constraint"]["value"])
                low, high = RANGES[kind]
                assert low <= eval(value.group(1)) < high, w  # of digits only
            waypoints.append((w, line))
    return waypoints


def check_native(folder, file, waypoints):
    """The values, returned in their order, lead a program of one thread to the error."""
    values = [re.sub(r"^\\result == ", "", w["constraint"]["value"]) for w, _ in waypoints
              if w["type"] == "function_return"]
    stubs = ["#include <stdlib.h>", "void reach_error(void) { exit(77); }", "static int at;"]
    stubs.append("void __assert_fail(const char *a, const char *f, unsigned l, const char *n) {"
                 " (void)a, (void)f, (void)l, (void)n; exit(77); }")
    for name, kind in (("int", "int"), ("long", "long"), ("char", "char"),
                       ("uchar", "unsigned char"), ("ulong", "unsigned long"),
                       ("ushort", "unsigned short")):
        cases = " ".join(f"case {i}: return ({kind})({v});" for i, v in enumerate(values))
        stubs.append(f"{kind} __VERIFIER_nondet_{name}(void) {{ switch (at++) {{ {cases} }}"
                     " exit(1); }")
    (folder / "stubs.c").write_text("\n".join(stubs) + "\n")
    subprocess.run([CLANG, "-w", file, "stubs.c", "-o", "native"], cwd=folder, check=True)
    done = subprocess.run(["./native"], cwd=folder, check=False)
    assert done.returncode == 77, (file, values)


def check_memory(folder, library):
    """Allocations refused: the witness is made of the last ones."""
    environment = {**os.environ, "LD_PRELOAD": os.path.abspath(library),
                   "REFUSE_ONLY": "unfold-sym", "SOURCE_DATE_EPOCH": "0"}

    def run(**refusal):
        (folder / "w.yml").unlink(missing_ok=True)
        more = {f"REFUSE_{name}": str(value) for name, value in refusal.items()}
        done = subprocess.run([SYM, "--solver", SOLVER, "--witness", "w.yml", "numbers.c"],
                              cwd=folder, env={**environment, **more}, capture_output=True,
                              text=True, pass_fds=[refusal["COUNT"]] if "COUNT" in refusal else [])
        return done, (folder / "w.yml").read_bytes() if (folder / "w.yml").exists() else None
    reader, writer = os.pipe()
    _, whole = run(COUNT=writer)
    os.close(writer)
    with os.fdopen(reader) as file:
        count = int(file.read())
    refused = 0
    for at in [*range(1, count - 60, max(1, count // 15)), *range(max(1, count - 60), count, 2)]:
        done, witness = run(AT=at)
        assert done.returncode in (1, 3), (at, done)
        named = "memory" in done.stderr + done.stdout
        assert witness == whole or (witness is None and named), (at, done)
        refused += witness is None
    print(f"{count} allocations: without a witness {refused} times")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for word, (specification, text) in PROGRAMS.items():
            file = f"{word}.c"
            (folder / file).write_text(DECLARATIONS + text)
            done = explore(folder, "--witness", "w.yml", file)
            assert done.returncode in (1, 3), (word, done.stdout, done.stderr)
            waypoints = check(folder, file, specification)
            first = (folder / "w.yml").read_bytes()
            if word in ("asserted", "numbers"):
                check_native(folder, file, waypoints)
            targets = [(w["thread_id"], line) for w, line in waypoints if w["type"] == "target"]
            if word == "race":
                assert len({t for t, _ in targets}) == 2, targets
                assert all("data = " in line for _, line in targets), targets
            if word == "many":
                assert [w["type"] for w, _ in waypoints].count("function_enter") == 4
                assert {w["thread_id"] for w, _ in waypoints} >= {0, 1, 2}
            explore(folder, "--witness", "w.yml", file)
            assert (folder / "w.yml").read_bytes() == first, "another time, another witness"
            explore(folder, "--witness", "w.yml", file, date=None)
            other = yaml.safe_load((folder / "w.yml").read_text())[0]["metadata"]
            assert other["uuid"] == yaml.safe_load(first)[0]["metadata"]["uuid"]
            assert other["creation_time"] > "2020" and b"1970-01-02T00:00:00Z" in first
        for word, (why, text) in REFUSED.items():
            (folder / f"{word}.c").write_text(DECLARATIONS + text)
            (folder / "w.yml").unlink(missing_ok=True)
            done = explore(folder, "--witness", "w.yml", f"{word}.c")
            assert why in done.stderr and not (folder / "w.yml").exists(), (word, done)
        hostile = 'a"b\\c: - #.c'
        (folder / hostile).write_text(DECLARATIONS + PROGRAMS["numbers"][1])
        explore(folder, "--witness", "w.yml", hostile)
        check(folder, hostile, PROGRAMS["numbers"][0])
        (folder / "gone").mkdir()
        done = explore(folder, "--witness", "gone", "numbers.c")
        assert "gone" in done.stderr and done.returncode in (1, 3), done
        assert explore(folder, "--witness", "w.yml", "--replay", "x", "numbers.c").returncode == 2
        if len(sys.argv) > 4:
            check_memory(folder, sys.argv[4])
    print(f"{len(PROGRAMS)} witnesses, {len(REFUSED)} refused")


main()
