#!/usr/bin/env python3
"""Read-modify-writes of code without callbacks: run_sites.py UNFOLD SCANNER CALLBACKS-LIBRARY
UNFOLD-MODEL PROGRAMS-FOLDER CASES-FOLDER [PART …]."""
import glob
import json
import os
import re
import shutil
import sys

from common import AT_LEISURE, BACKENDS, check, compiled, in_own_folder, linked_with, perform, result_of, run

UNFOLD, SCANNER, CALLBACKS, MODEL, PROGRAMS, CASES = (os.path.abspath(p) for p in sys.argv[1:7])
OFF = ["--atomics", "off"]
RMW = ["--atomics", "rmw", "--learn", "off"]
ALL = ["--atomics", "all"]
LIBRARIES = ("libglib-2.0.so.0", "libgomp.so.1", "libstdc++.so.6", "libatomic.so.1", "libjemalloc.so.2",
             "libxml2.so.2", "libgit2.so.1.5", "libc.so.6", "libpython3.11.so.1.0", "libsqlite3.so.0")
WHOLLY = "explored to the end, no defect found"
PARTLY = "explored to the end of what was seen, no defect found"


def build(compiler, name, *flags, source=None):
    compiled(compiler, "-g", "-Wall", "-Wextra", os.path.join(CASES, source or name), "-pthread", *flags)


def explore(*words, unfold=UNFOLD):
    return result_of(run(unfold, "--json", "--trace-dir", "traces", *AT_LEISURE, *words))


def unseen(result):
    """What was not seen of read-modify-writes, by reason: the modules and numbers."""
    whys = {}
    for u in result["unseen"]:
        if u["why"] != "plain accesses":
            whys.setdefault(u["why"], {})[os.path.basename(u["module"] or "")] = u["count"]
    return whys


def compare(path):
    """The scanner's sites against objdump's, but for fences: how many there are, and are left."""
    said = run(SCANNER, path).stdout.splitlines()
    left = int(re.search(r" (\d+) left", said[0]).group(1))
    sites = {int(line.split()[0], 16): line.split()[2] for line in said[1:]}
    wanted = {}
    for line in run("objdump", "-d", "--no-show-raw-insn", path).stdout.splitlines():
        found = re.match(r" *([0-9a-f]+):\t(?:(?:data16|cs|ds|xacquire|xrelease|repz|repnz|rex\S*) )*(?:lock +)?(.*)", line)
        exchange = found and re.match(r"xchg\S* .*\(|xchg\S* .*,0x|xchg\S* +0x|xchg.*%fs:", found.group(2))
        if found and ("lock " in line or exchange) and not re.search(r"\$0x0,(0x0)?(-?0x[0-9a-f]+)?\(%rsp\)", line):
            wanted[int(found.group(1), 16)] = found.group(2)
    check(f"{path}: not in objdump's listing", not set(sites) - set(wanted), [hex(a) for a in set(sites) - set(wanted)][:5])
    check(f"{path}: other instructions than objdump's",
          all(re.match(sites[a] + r"[bwlq]?\b", wanted[a]) for a in sites if a in wanted))
    missing = set(wanted) - set(sites)
    check(f"{path}: missing", len(missing) == left, [hex(a) for a in missing][:5])
    return len(sites), left


def scanner():
    paths = [path for name in LIBRARIES for path in glob.glob("/usr/lib/x86_64-linux-gnu/" + name)]
    check("libraries to compare", sum(compare(path)[0] > 0 for path in paths) >= 3, paths)
    with open("cut", "wb") as file:
        file.write(open(SCANNER, "rb").read()[:5000])
    said = run(SCANNER, "cut", "/etc/passwd").stdout.splitlines()
    check("files that are no modules", len(said) == 2 and " 0 sites" in said[0] and "cannot be read" in said[1], said)


def cases():
    build("gcc", "sites.c", "-O1", "-o", "sites")
    check("natively", run("./sites", "kinds").returncode == 0)
    build("gcc", "sites.c", "-O2", "-no-pie", "-o", "fixed")
    check("at fixed addresses", explore(*RMW, "--", "./fixed", "kinds")["traces"] == 1)
    for backend in BACKENDS:
        for case, traces, events in (("kinds", 1, None), ("fences", 1, 4), ("adds", 2, 10), ("sorted", 20, None)):
            result = explore(*RMW, *backend, "--", "./sites", case)
            check(f"{case} {backend}", result["traces"] == traces and not result["defects"] and events in (None, result["events"]), result)
        result = explore(*RMW, *backend, "--", "./sites", "bad")
        check(f"bad {backend}", [d["kind"] for d in result["defects"]] == ["crash"] and "sites.c:" in json.dumps(result["defects"]), result)
        result = explore(*RMW, *backend, "--", "./sites", "wide")
        check(f"wide {backend}", "cmpxchg16b is not supported, called at sites.c:" in (result["uncontrolled"] or ""), result)
    result = explore(*RMW, "--", "./sites", "kinds")
    said = result["atomics"]
    check("a place without room for a jump", said["traps"] == 0 and said["reached"] > 90 and not unseen(result), result)
    check("a callback of the C library", explore(*RMW, "--", "./sites", "sorted")["atomics"]["in_callbacks"] == 1)
    for level in RMW, OFF:
        result = explore(*level, "--", "./sites", "code")
        check(f"code that is made later {level}", "code made later" in unseen(result), result)
    result = explore(*OFF, "--", "./sites", "adds")
    check("off", result["traces"] == 1 and result["atomics"]["level"] == "off", result)
    sites = int(re.search(r"(\d+) sites", run(SCANNER, "./sites").stdout).group(1))
    check("off, and what is not seen", unseen(result)["read-modify-writes"] == {"sites": sites}, result)


def left():
    build("gcc", "sites_left.c", "-O2", "-o", "left")
    check("some are left", " 1 not decoded; 2 sites, 2 left; 2 outside" in run(SCANNER, "left").stdout, run(SCANNER, "left"))
    result = explore(*RMW, "--", "./left")
    wanted = {"not decoded": {"left": 1}, "left": {"left": 2}, "outside functions": {"left": 2}, "unknown code": {"left": 1}}
    check("and named", unseen(result) == wanted and result["traces"] == 2, result)
    check("also in the summary", "not seen: 2 read-modify-writes of left (could not be changed)" in run(UNFOLD, *RMW, "--", "./left").stdout)


def like_callbacks():
    compiled("g++", "-g", "-O0", "-fsanitize=thread", "-c", os.path.join(CASES, "sites_locks.cpp"), "-o", "locks.o")
    compiled("g++", "-pthread", "locks.o", *linked_with(CALLBACKS), "-o", "with")
    build("g++", "sites_locks.cpp", "-O2", "-o", "without")
    for case in ("compared", "exchanged"):
        wanted = explore("--", "./with", case)
        check(f"{case} with callbacks", wanted["traces"] > 10, wanted)
        for backend in BACKENDS:
            for program in ("./without", "./with"):
                result = explore(*RMW, *backend, "--", program, case)
                check(f"{case} {program} {backend}", (result["traces"], result["events"]) == (wanted["traces"], wanted["events"]), result)
    for backend in BACKENDS:
        result = explore(*RMW, *backend, "--", "./without", "lost")
        check(f"a lost update {backend}", "assertion" in [d["kind"] for d in result["defects"]], result)


# The threads of sites_futex.c in the model language.
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
ONE = (LOCK + UNLOCK).format("first")
THERE = LOCK.format("first") + (LOCK + UNLOCK).format("second") + UNLOCK.format("first")
BACK = LOCK.format("second") + (LOCK + UNLOCK).format("first") + UNLOCK.format("second")
LOOK = "  int seen = fetch_add(ready, 0);\n"
PATIENT = LOOK + "  while (seen == 0) {\n    futex_wait(ready, 0);\n    seen = fetch_add(ready, 0);\n  }\n"
HASTY = "  futex_wake(ready, 9);\n  exchange(ready, 1);\n"
WAKER = "  exchange(ready, 1);\n  futex_wake(ready, 9);\n"
HURRIED = LOOK + "  if (seen == 0) timedfutexwait(ready, 0);\n"
FUTEXES = [("one", ONE, ONE, 0), ("same", THERE, THERE, 0), ("crossed", THERE, BACK, 1), ("lost", PATIENT, HASTY, 2),
           ("kept", PATIENT, WAKER, 0), ("timed", HURRIED, WAKER, 0)]


def futexes():
    compiled("gcc", "-g", "-O0", "-fsanitize=thread", "-c", os.path.join(CASES, "sites_futex.c"), "-o", "futex.o")
    compiled("gcc", "-pthread", "futex.o", *linked_with(CALLBACKS), "-o", "futex-with")
    build("gcc", "sites_futex.c", "-O2", "-o", "futex")
    for case, first, second, deadlocks in FUTEXES:
        with open("model.unf", "w", encoding="utf-8") as file:
            file.write(f"atomic int first, second, ready;\nthread a {{\n{first}}}\nthread b {{\n{second}}}\n")
        model = json.loads(run(MODEL, "--json", "model.unf").stdout)
        check(f"{case}: model", model["deadlocks"] == deadlocks, model)
        for words in (case,), (case, "inline"):
            for backend in BACKENDS:
                for program in ([*RMW, *backend, "--", "./futex", *words], [*backend, "--", "./futex-with", *words]):
                    result = explore(*program)
                    check(f"futexes: {program}", (result["traces"], result["deadlocks"]) == (model["traces"], deadlocks), (result, model))
    check("a requeue", "moved to another one is not supported, called at sites_futex.c" in explore(*RMW, "--", "./futex", "moved")["uncontrolled"])
    check("without atomics", "syscall(SYS_futex) is not supported" in explore(*OFF, "--", "./futex", "lost")["uncontrolled"])
    explore(*RMW, "--", "./futex", "crossed")
    done = run(UNFOLD, *RMW, "--replay", "traces/trace-1.unfs", "--", "./futex", "crossed")
    check("a replay of it", done.returncode == 1 and "fwait" in done.stdout and "blocked at futex wait" in done.stdout, done)
    done = run(UNFOLD, *RMW, "--", "./futex", "crossed")
    check("a deadlock of futexes", re.search(r"0\.0 blocked at futex wait, sites_futex\.c:\d+; waits for futex second", done.stdout), done)


def same_without_sites():
    for name in ("bank", "disp"):
        compiled("gcc", "-g", "-O0", "-pthread", "-DPARAM1=3", "-DPARAM2=2", os.path.join(PROGRAMS, name + ".c"), "-o", name)
        for backend in BACKENDS:
            off = explore(*OFF, *backend, "--", "./" + name)
            for level in RMW, ALL, []:
                on = explore(*level, *backend, "--", "./" + name)
                check(f"{name} {level} {backend}", on["traces"] is not None and (off["traces"], off["events"]) == (on["traces"], on["events"]), (off, on))


def libraries():
    build("gcc", "sites_plugin.c", "-O2", "-fPIC", "-shared", "-o", "plugin.so")
    build("gcc", "sites_plugin.c", "-O2", "-o", "plugin")
    for backend in BACKENDS:
        result = explore(*RMW, *backend, "--", "./plugin", "./plugin.so")
        whys = list(unseen(result))
        check(f"a module that is loaded later {backend}", result["traces"] == 2 and result["mode"] == "fork", result)
        check(f"and what is said of it {backend}", whys == ["loaded later"], whys)
        because = result["own_process_because"] or ""
        check(f"and of the mode {backend}", ("it loads plugin.so while it runs" in because) == ("inprocess" in backend), because)
        check(f"and its restarts {backend}", result["restarts"] == ("inprocess" in backend), result)
        check(f"and without atomics {backend}", "loaded later" in unseen(explore(*OFF, *backend, "--", "./plugin", "./plugin.so")), backend)
    if glob.glob("/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0"):
        build("gcc", "sites_glib.c", "-O1", "-o", "locks", "-l:libglib-2.0.so.0")
        for backend in BACKENDS:
            result = explore(*RMW, *backend, "--", "./locks")
            check(f"locks of GLib {backend}", result["traces"] == 4, result)
            result = explore(*RMW, *backend, "--", "./locks", "crossed")
            check(f"a deadlock of GLib's locks {backend}", (result["traces"], result["deadlocks"]) == (33, 1), result)


def without():
    """The level is off where it cannot be on, and one sentence says so."""
    build("gcc", "refusing.c", "-o", "refusing")
    done = run("./refusing", "executable", UNFOLD, *RMW, "--", "./sites", "adds")
    said = "read-modify-writes were not seen: the system does not"
    check("memory that cannot be executed", said in done.stdout and PARTLY in done.stdout and done.returncode == 0, done)
    check("and what that means", re.search(r"not seen: \d+ read-modify-writes of sites \(the system does not", done.stdout), done)
    for level in RMW, ALL, []:
        done = run("./refusing", "filters", UNFOLD, *level, "--", "./sites", "adds")
        said = "read-modify-writes were not seen: the system does not hand over system calls, so futexes are unseen\n"
        check(f"no filters of system calls {level}", done.stdout.count(said) == 1 and PARTLY in done.stdout and done.returncode == 0, done)
        check(f"and what that means {level}", re.search(r"not seen: \d+ read-modify-writes of sites \(the system does not hand", done.stdout), done)
        result = json.loads(run("./refusing", "filters", UNFOLD, "--json", *level, "--", "./sites", "adds").stdout)
        check(f"in JSON {level}", result["atomics"]["level"] == "off" and "system calls" in result["atomics"]["off_because"] and result["traces"] == 1, result)
        check(f"strict {level}", run("./refusing", "filters", UNFOLD, "--strict", *level, "--", "./sites", "adds").returncode == 5)
        result = explore(*level, "--", "./sites", "adds")
        check(f"and with them {level}", result["atomics"]["level"] != "off" and result["traces"] == 2, result)
    os.mkdir("installed")
    for name in ("unfold", "unfold-preload.so"):
        shutil.copy(os.path.join(os.path.dirname(UNFOLD), name), "installed")
    done = run("./installed/unfold", *RMW, "--", "./sites", "adds")
    check("no scanner", "read-modify-writes were not seen: unfold was built without Zydis" in done.stdout and done.returncode == 0, done)
    done = run("./installed/unfold", *OFF, "--", "./sites", "adds")
    check("no scanner, nor asked for it", "read-modify-writes of sites (not looked for: unfold was built without Zydis)" in done.stdout, done)
    result = explore(*OFF, "--", "./sites", "adds", unfold="./installed/unfold")
    check("no scanner, in JSON", unseen(result) == {"not looked for": {"sites": None}} and result["verdict"] == PARTLY, result)
    shutil.copy("/bin/true", "installed/unfold-sites")
    done = run("./installed/unfold", *OFF, "--", "./sites", "adds")
    check("a scanner that does not answer", "read-modify-writes of sites (not looked for: the search came to no end)" in done.stdout, done)


def verdicts():
    """A bare "explored to the end, no defect found" says that nothing was unseen."""
    build("gcc", "sites_alone.c", "-O1", "-o", "alone")
    result = explore("--strict", "--", "./alone")
    check("one thread has nothing that others could change", result["verdict"] == WHOLLY and not result["unseen"], result)
    done = run(UNFOLD, "--strict", "--", "./alone")
    check("and status 0", done.returncode == 0 and f"./alone: {WHOLLY}\n  traces" in done.stdout, done)
    for words, status in ((), 0), (("--strict",), 5), (("--strict", "--max-executions", "1"), 3), (("--strict", "--dot", "none/none"), 2):
        done = run(UNFOLD, *RMW, *words, "--", "./without", "compared")
        check(f"partly seen {words}", done.returncode == status and (PARTLY in done.stdout) == (status != 3), done)
    check("plain accesses", "not seen: plain accesses of without, libstdc++.so.6, libgcc_s.so.1 (--atomics all watches them; the counts" in done.stdout, done)
    done = run(UNFOLD, "--strict", *OFF, "--", "./without", "compared")
    check("what would show more", re.search(r"not seen: \d+ read-modify-writes of without, \d+ of libstdc\+\+\S+(, \d+ of \S+)* \(--atomics rmw shows them\)", done.stdout), done)
    compiled("gcc", "-g", "-O0", "-fsanitize=thread", "-DORDERED", "-c", os.path.join(PROGRAMS, "bank.c"), "-o", "bank.o")
    compiled("gcc", "-pthread", "bank.o", *linked_with(CALLBACKS), "-o", "bank-watched")
    for words, verdict in (("--races",), WHOLLY), (("--races", "--races-every", "2"), PARTLY), ((), PARTLY):
        result = explore(*words, "--", "./bank-watched")
        check(f"bank with callbacks {words}", result["verdict"] == verdict and (not result["unseen"]) == (verdict == WHOLLY), result)
    compiled("gcc", "-g", "-O0", "-pthread", os.path.join(PROGRAMS, "bank.c"), "-o", "bank-wrong")
    check("a defect", explore("--strict", "--", "./bank-wrong")["verdict"] == "explored to the end, 1 defect found")
    result = explore(*RMW, "--max-executions", "1", "--", "./without", "compared")
    check("a limit", result["verdict"] == "not finished (executions), no defect found" and result["unseen"], result)


def conditions():
    """Each thing that stands between a program and the first headline."""
    build("gcc", "sites_moves.c", "-O2", "-o", "moves")
    compiled("gcc", "-g", "-O0", "-pthread", "-DORDERED", os.path.join(PROGRAMS, "bank.c"), "-o", "bank-ordered")
    compiled("gcc", "-g", "-O0", "-fsanitize=thread", "-DORDERED", "-c", os.path.join(PROGRAMS, "bank.c"), "-o", "bank.o")
    compiled("gcc", "-pthread", "bank.o", *linked_with(CALLBACKS), "-o", "bank-watched")
    # Without a symbol that is a function, nothing says that its code is code.
    rangeless = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-nostdlib", "-shared", "-fPIC", "-DMODULE")
    for name, flags in ("rangeless", []), ("rangeless-plain", ["-DPLAIN"]):
        build("gcc", "sites_rangeless.c", "-O1", *rangeless, *flags, "-S", "-o", "rangeless.s")
        with open("rangeless.s", encoding="utf-8") as file:
            text = file.read()
        with open("rangeless.s", "w", encoding="utf-8") as file:
            file.write(re.sub(r".*@function\n", "", text))
        compiled("gcc", *rangeless[2:4], "rangeless.s", "-o", f"lib{name}.so")
        build("gcc", "sites_rangeless.c", "-O1", "-o", name, f"./lib{name}.so")
    seen = (["./bank-ordered"], []), (["./bank-ordered"], ALL), (["./bank-watched"], ["--races"]), (["./sites", "adds"], ALL)
    for program, level in seen:
        result = explore(*level, "--", *program)
        status = run(UNFOLD, "--strict", *AT_LEISURE, *level, "--", *program).returncode
        check(f"all is seen {program} {level}", (result["verdict"], result["unseen"], status) == (WHOLLY, [], 0), result)
    unseen_ones = (
        ("the level", ["./bank-ordered"], RMW, ["plain accesses"]), ("the level", ["./bank-ordered"], OFF, ["plain accesses"]),
        ("callbacks, and no races", ["./bank-watched"], [], ["plain accesses"]), ("a site that is left", ["./left"], ALL, None),
        ("a module without ranges", ["./rangeless"], ALL, ["no functions", "unknown code", "plain accesses"]),
        ("a module without ranges or sites", ["./rangeless-plain"], ALL, ["unknown code", "plain accesses"]),
        ("a quiet module", ["./sites", "adds"], [*ALL, "--quiet", "sites"], ["quiet", "plain accesses"]),
        ("a quiet place", ["./sites", "adds"], ["--quiet", place_of("./sites", "adds")], ["quiet"]),
        ("a race", ["./moves", "publish"], ALL, ["races"]))
    for what, program, level, whys in unseen_ones:
        result = explore(*level, "--", *program)
        found = [u["why"] for u in result["unseen"]]
        check(f"{what}: unseen", result["verdict"] == PARTLY and (found == whys if whys else "left" in found), result)
        done = run(UNFOLD, "--strict", *AT_LEISURE, *level, "--", *program)
        check(f"{what}: status 5", done.returncode == 5 and PARTLY in done.stdout and "  not seen: " in done.stdout, done)
        check(f"{what}: status 0", run(UNFOLD, *level, "--", *program).returncode == 0)


def assembler():
    """Code that no description covers: seen where it is code for certain, and otherwise named."""
    parts = [os.path.join(CASES, name) for name in ("sites_assembler.c", "sites_assembler.S")]
    compiled("gcc", "-shared", "-nostdlib", "-DTYPED", parts[1], "-o", "libadd.so")
    programs = {
        "typed": ["-DTYPED", *parts], "untyped": parts, "stripped": ["-s", *parts], "shared": [parts[0], "./libadd.so"],
        "loaded": ["-DLOADED", parts[0]], "hidden": ["-DHIDDEN", *parts], "mixed": ["-DMIXED", *parts], "mixed-typed": ["-DMIXED", "-DTYPED", *parts]}
    for name, flags in programs.items():
        compiled("gcc", "-O1", "-pthread", *flags, "-o", name)
        seen = name in ("typed", "untyped", "stripped", "shared", "loaded")
        for backend in BACKENDS:
            result = explore(*ALL, *backend, "--", f"./{name}", "wrong")
            if seen:
                good = (result["traces"], result["errors"], "unknown code" in unseen(result)) == (4, 2, False)
            else:
                place = int(re.search(r"^(\S+) \w (hidden|add)_one$", run("nm", name).stdout, re.M).group(1), 16)
                where = [u["place"] for u in result["unseen"] if u["why"] == "unknown code"]
                good = result["verdict"] == PARTLY and unseen(result) == {"unknown code": {name: 1}} and where == [f"{name}+0x{place:x}"]
            check(f"an assembler's code {name} {backend}", good, result)
    done = run(UNFOLD, *ALL, "--strict", "--", "./hidden", "wrong")
    said = r"  not seen: 1 piece of code of hidden from \+0x[0-9a-f]+ on \(that no function is known to have\)\n"
    check("an assembler's code that only a pointer leads to", done.returncode == 5 and re.search(said, done.stdout), done)
    check("a table in code is as it was", run("./mixed", "wrong").returncode == 0)
    # Start-up code is code, too: what has no other is seen as a whole.
    for flags in [], ["-no-pie"], ["-s"], ["-Wl,-z,lazy"]:
        compiled("gcc", "-O1", "-pthread", *flags, "-DORDERED", os.path.join(PROGRAMS, "bank.c"), "-o", "ordinary")
        result = explore(*ALL, "--", "./ordinary")
        check(f"start-up code {flags}", (result["verdict"], result["unseen"]) == (WHOLLY, []), result)


def place_of(*program):
    """The place with most events, as --quiet takes it."""
    return explore(*RMW, "--", *program)["atomics"]["busiest"][0]["code"]


def quiet():
    """Places that are left out, and the ten that have most events."""
    whole = explore(*RMW, "--", "./without", "compared")
    busiest = whole["atomics"]["busiest"]
    check("the busiest places", 1 < len(busiest) <= 10 and [b["events"] for b in busiest] == sorted((b["events"] for b in busiest), reverse=True), busiest)
    check("their events", sum(b["events"] for b in busiest) < whole["events"], whole)
    done = run(UNFOLD, *RMW, "--", "./without", "compared")
    check("said", f"    {busiest[0]['events']} at {busiest[0]['place']}, {busiest[0]['code']}\n" in done.stdout, done)
    line = busiest[0]["place"]
    for backend in BACKENDS:
        for words in ([busiest[0]["code"]], [line], ["without"], [f"libstdc++.so.6,{line}"]):
            result = explore(*RMW, *backend, "--quiet", *words, "--", "./without", "compared")
            check(f"quiet {words} {backend}", result["finished"] and result["traces"] < whole["traces"], result)
            check(f"quiet {words} {backend}: unseen", "without" in unseen(result).get("quiet", {}), result)
        result = explore(*RMW, *backend, "--quiet", "libstdc++.so.6", "--", "./without", "compared")
        check(f"another module {backend}", (result["traces"], result["events"]) == (whole["traces"], whole["events"]), result)
    done = run(UNFOLD, *RMW, "--quiet", "without", "--", "./without", "compared")
    check("quiet: said", re.search(r"not seen: \d+ read-modify-writes of without \(left out by --quiet, with what", done.stdout), done)
    done = run(UNFOLD, *RMW, "--quiet", "nowhere,none.c:7,without+0x1", "--", "./without", "compared")
    for name, why in ("nowhere", "there is no such module"), ("none.c:7", "no read-modify-write is there"), ("without+0x1", "no place is there"):
        check(f"--quiet {name}", f"unfold: --quiet {name}: {why}\n" in done.stderr, done)
    build("gcc", "sites_quiet.c", "-O1", "-o", "quiet")
    result = explore(*RMW, "--quiet", "sites_quiet.c:11", "--", "./quiet")
    check("what uses the same memory", unseen(result) == {"quiet": {"quiet": 2}} and result["traces"] == 2 and len(result["defects"]) == 1, result)
    done = run(UNFOLD, "--replay", result["defects"][0]["schedule"], "--", "./quiet")
    check("a replay leaves out the same", done.returncode == 1 and "failed assertion" in done.stdout, done)


def replay():
    explore(*RMW, "--", "./without", "lost")
    done = run(UNFOLD, *RMW, "--replay", "traces/trace-1.unfs", "--", "./without", "lost")
    check("a replay", done.returncode == 1 and "write" in done.stdout, done)


def debugger():
    """It passes the frames between a place and the library, and stops where the program says."""
    commands = ("set breakpoint pending on", "break location_operate", "run", "bt", "delete", "break unlock", "continue", "bt", "delete", "continue")
    explore(*RMW, "--", "./futex", "crossed")
    said = run("gdb", "-q", "-batch", *(word for c in commands for word in ("-ex", c)), "--args", UNFOLD, *RMW, "--replay", "traces/trace-1.unfs",
               "--", "./futex", "crossed").stdout
    check("a backtrace through a trampoline", re.search(r"patch_enter.*\n#\d+ .* (lock|there|back) .*sites_futex\.c:\d+", said), said)
    check("and up to the thread's function", re.search(r"#\d+ .* (there|back) \(", said), said)
    check("the replay comes to its end", "blocked at futex wait" in said, said)


def no_breakpoints():
    """Places without room for a jump: what follows them makes room, so that there is no signal."""
    for name, *options in ("trap",), ("step", "-DSTEP"):
        build("gcc", "sites_trap.c", "-O1", *options, "-o", name)
        makes_room(f"./{name}")
    debugger_goes_on()
    result = explore(*ALL, "--", "./trap", "call")
    check("a function returns behind its call, which makes no room", result["finished"] and not result["defects"], result)


def makes_room(program):
    check("natively", run(program, "right").returncode == 0, run(program, "right"))
    for level in RMW, ALL:
        result = explore(*level, "--", program, "wrong")
        check(f"{program}: places without room {level}", result["atomics"]["traps"] == 0 and [d["kind"] for d in result["defects"]] == ["assertion"], result)
        right = explore(*level, "--", program, "right")
        check(f"and nothing wrong {level}", right["finished"] and not right["defects"], right)
        steps = run(UNFOLD, "--replay", result["defects"][0]["schedule"], "--", program, "wrong")
        check(f"a replay {level}", steps.returncode == 1 and "failed assertion" in steps.stdout, steps)
        commands = ("set breakpoint pending on", "run")
        said = run("gdb", "-q", "-batch", *(word for c in commands for word in ("-ex", c)), "--args", UNFOLD, "--replay",
                   result["defects"][0]["schedule"], "--", program, "wrong")
        check(f"under a debugger {level}", "SIGTRAP" not in said.stdout and "SIGILL" not in said.stdout and "failed assertion" in said.stdout, said)


def debugger_goes_on():
    build("gcc", "sites_trap.c", "-O1", "-DFIXED", "-o", "fixed")
    result = explore(*RMW, "--", "./fixed", "wrong")
    check("one that cannot", result["atomics"]["traps"] == 1 and [d["kind"] for d in result["defects"]] == ["assertion"], result)
    for commands, stops in (("handle SIGILL nostop noprint", "run"), False), (("run", *("continue",) * 4), True):
        said = run("gdb", "-q", "-batch", *(word for c in ("set breakpoint pending on", *commands) for word in ("-ex", c)), "--args", UNFOLD, "--replay",
                   result["defects"][0]["schedule"], "--", "./fixed", "wrong")
        check(f"a debugger goes on there {commands}", "SIGTRAP" not in said.stdout and "failed assertion" in said.stdout
              and stops == ("received signal SIGILL" in said.stdout), said)


def main():
    perform((scanner, cases, left, like_callbacks, futexes, same_without_sites, libraries, without, verdicts,
             conditions, assembler, quiet, replay, debugger, no_breakpoints), sys.argv[7:])


sys.exit(in_own_folder(main))
