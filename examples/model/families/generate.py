#!/usr/bin/env python3
"""Writes the benchmark families as programs of the model language: here those of the quasi-optimal
POR paper, in atomics.py those of papers on stateless model checking.

    generate.py FAMILY A [B …] prints one program
    generate.py --write DIR    writes every program of the list below, and prints their names
    generate.py --check DIR    fails unless the programs in DIR are as they would be written

A family takes one parameter or more; what they mean stands in the text of each program. Those
programs that stand beside this file are samples; the build writes all of them into its own folder.
"""
import pathlib
import re
import sys

import atomics

FAMILIES = dict(atomics.FAMILIES)


def family(function):
    FAMILIES[function.__name__] = function
    return function


@family
def disp(s, r):
    return f"""// DISP({s},{r}): a dispatcher hands each of {r} requests to one of {s} servers, which a picker chooses meanwhile.
shared int sid;
mutex k, s[{s}];

thread main {{
  int n = 0;
  while (n < {s}) {{ spawn(server[n]); n = n + 1; }}
  n = 0;
  while (n < {r}) {{
    spawn(picker[n]);
    lock(k);
    int idx = sid;
    unlock(k);
    lock(s[idx]);
    unlock(s[idx]);
    join(picker[n]);
    n = n + 1;
  }}
}}

thread server[i : 0..{s - 1}] {{ lock(s[i]); unlock(s[i]); }}

thread picker[n : 0..{r - 1}] {{
  int x = 0;
  while (x < {s}) {{ lock(k); sid = x; unlock(k); x = x + 1; }}
}}
"""


@family
def mpat(k):
    return f"""// MPAT({k}): {k} pairs of a writer and a reader; the readers are ordered by mi, each pair by its own mutex.
mutex mi, ma[{k}];

thread main {{
  int n = 0;
  while (n < {k}) {{ spawn(w[n]); spawn(r[n]); n = n + 1; }}
}}

thread w[i : 0..{k - 1}] {{ lock(ma[i]); unlock(ma[i]); }}

thread r[i : 0..{k - 1}] {{
  lock(mi);
  lock(ma[i]);
  unlock(ma[i]);
  unlock(mi);
}}
"""


@family
def mpc(p, w):
    return f"""// MPC({p},{w}): {p} producers draw the number of one of {w} workers from a buffer that they all mix.
shared int buf;
mutex prodmut, mut[{w}];

thread main {{
  int n = 0;
  while (n < {w}) {{ spawn(worker[n]); n = n + 1; }}
  n = 0;
  while (n < {p}) {{ spawn(producer[n]); n = n + 1; }}
}}

thread worker[id : 0..{w - 1}] {{
  lock(mut[id]);
  unlock(mut[id]);
  lock(mut[id]);
  unlock(mut[id]);
}}

thread producer[id : 0..{p - 1}] {{
  int n = 0, tmp;
  while (n < 2) {{
    lock(prodmut);
    buf = (buf * {p} + id) % 4294967296; // 32 bits, unsigned
    tmp = buf;
    unlock(prodmut);
    n = n + 1;
  }}
  lock(mut[tmp % {w}]);
  unlock(mut[tmp % {w}]);
}}
"""


@family
def pi(t):
    return f"""// PI({t}): {t} threads add their part under one mutex.
mutex m;

thread main {{
  int n = 0;
  while (n < {t}) {{ spawn(part[n]); n = n + 1; }}
  n = 0;
  while (n < {t}) {{ join(part[n]); n = n + 1; }}
}}

thread part[i : 0..{t - 1}] {{ lock(m); unlock(m); }}
"""


@family
def pol(n, k):
    return f"""// POL({n},{k}): {k} times, one thread counts i up while another takes the mutex that i names, beside {n} workers.
shared int i;
mutex mi, ma[{n}];

thread main {{
  int n = 0;
  while (n < {n}) {{ spawn(wa[n]); n = n + 1; }}
  n = 0;
  while (n < {k}) {{
    spawn(choice[n]);
    spawn(ra[n]);
    join(choice[n]);
    join(ra[n]);
    n = n + 1;
  }}
  n = 0;
  while (n < {n}) {{ join(wa[n]); n = n + 1; }}
}}

thread wa[x : 0..{n - 1}] {{ lock(ma[x]); unlock(ma[x]); }}

thread choice[round : 0..{k - 1}] {{
  int x = 1;
  while (x < {n}) {{ lock(mi); i = x; unlock(mi); x = x + 1; }}
}}

thread ra[round : 0..{k - 1}] {{
  lock(mi);
  int idx = i;
  unlock(mi);
  lock(ma[idx]);
  unlock(ma[idx]);
}}
"""


@family
def ssbexp(k):
    return f"""// SSBEXP({k}): source sets need exponentially many runs here, though there are {2 * k} traces only.
shared int i;
mutex mi, ma[{k}];

thread main {{
  int n = 0;
  while (n < {k}) {{ spawn(writer[n]); n = n + 1; }}
  spawn(counter);
  lock(mi);
  int idx = i;
  unlock(mi);
  lock(ma[idx]);
  unlock(ma[idx]);
  n = 0;
  while (n < {k}) {{ join(writer[n]); n = n + 1; }}
  join(counter);
}}

thread writer[x : 0..{k - 1}] {{ lock(ma[x]); unlock(ma[x]); }}

thread counter {{
  int x = 1;
  while (x < {k}) {{ lock(mi); i = x; unlock(mi); x = x + 1; }}
}}
"""


@family
def ssb3(n, l):
    return f"""// SSB3({n},{l}): as SSBEXP, with a branch on which two threads take another mutex {l} times each.
shared int z, c;
mutex mz, mc, mx, mut[{n}];

thread main {{
  int n = 0;
  while (n < {n}) {{ spawn(writer[n]); n = n + 1; }}
  spawn(wc);
  spawn(rz);
  n = 0;
  while (n < {n}) {{ join(writer[n]); n = n + 1; }}
  join(rz);
  join(wc);
}}

thread writer[i : 0..{n - 1}] {{ lock(mut[i]); unlock(mut[i]); }}

thread wc {{
  lock(mz);
  z = 1;
  unlock(mz);
  int i = 1;
  while (i < {n}) {{ lock(mc); c = i; unlock(mc); i = i + 1; }}
}}

thread rz {{
  lock(mz);
  int l = z;
  unlock(mz);
  int i = 0;
  if (l == 1) {{
    lock(mc);
    i = c;
    unlock(mc);
    lock(mut[i]);
    unlock(mut[i]);
  }} else {{
    spawn(noise);
    while (i < {l}) {{ lock(mx); unlock(mx); i = i + 1; }}
    join(noise);
  }}
}}

thread noise {{
  int i = 0;
  while (i < {l}) {{ lock(mx); unlock(mx); i = i + 1; }}
}}
"""


@family
def spat(t, k):
    steps = []
    for offset in (0, 1, 3):
        steps.append(f"  if (i + {offset} < {k}) lock(m[i + {offset}]);")
    for offset in (3, 1, 0):
        steps.append(f"  if (i + {offset} < {k}) unlock(m[i + {offset}]);")
    body = "\n".join(steps)
    return f"""// SPAT({t},{k}): thread i takes the locks i, i + 1 and i + 3 of {k}, nested.
mutex m[{k}];

thread main {{
  int n = 0;
  while (n < {t}) {{ spawn(thread_[n]); n = n + 1; }}
  n = 0;
  while (n < {t}) {{ join(thread_[n]); n = n + 1; }}
}}

thread thread_[i : 0..{t - 1}] {{
{body}
}}
"""


@family
def locks(n):
    return f"""// LOCKS({n}): {n} threads, one critical section each: {n}! traces.
mutex m;
thread w[i : 0..{n - 1}] {{ lock(m); unlock(m); }}
"""


@family
def count(n):
    return f"""// COUNT({n}): the master takes the mutex whose number the counter has reached: {2 * n} traces.
shared int c;
mutex mc, x[{n}];

thread w[i : 0..{n - 1}] {{ lock(x[i]); unlock(x[i]); }}

thread count {{
  int n = 1;
  while (n < {n}) {{ lock(mc); c = n; unlock(mc); n = n + 1; }}
}}

thread master {{
  lock(mc);
  int i = c;
  unlock(mc);
  lock(x[i]);
  unlock(x[i]);
}}
"""


PROGRAMS = (
    [("disp", p) for p in ((1, 4), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4), (5, 2), (5, 3), (5, 4), (8, 3), (14, 2))]
    + [("mpat", (k,)) for k in range(2, 8)]
    + [("mpc", p) for p in ((2, 3), (2, 4), (2, 5), (3, 3), (3, 4), (3, 5), (3, 6), (3, 7), (4, 5))]
    + [("pi", (t,)) for t in (3, 5, 7, 8)]
    + [("pol", p) for p in ((2, 2), (3, 3), (3, 4), (4, 4), (5, 3), (7, 3), (8, 3), (9, 3), (10, 3), (11, 3), (12, 3))]
    + [("ssbexp", (k,)) for k in (4, 8, 12)]
    + [("ssb3", p) for p in ((3, 2), (5, 4), (7, 6))]
    + [("spat", p) for p in ((4, 5), (6, 5), (9, 6))]
    + [("locks", (n,)) for n in (2, 3, 4, 5)]
    + [("count", (n,)) for n in (3, 6)]
    + atomics.PROGRAMS
)


def file_name(name, parameters):
    return "-".join([name, *map(str, parameters)]) + ".unf"


def program(name):
    """The text of a program by the name of its file, such as disp-5-2.unf."""
    family_name, parameters = re.fullmatch(r"(.+?)((?:-\d+)+)\.unf", name).groups()
    return FAMILIES[family_name](*map(int, parameters.split("-")[1:]))


def main(arguments):
    if len(arguments) == 2 and arguments[0] in ("--write", "--check"):
        folder = pathlib.Path(arguments[1])
        texts = {file_name(n, p): FAMILIES[n](*p) for n, p in PROGRAMS}
        if arguments[0] == "--write":
            for name, text in texts.items():
                (folder / name).write_text(text)
                print(name)
            return 0
        there = {path.name: path.read_text() for path in folder.glob("*.unf")}
        wrong = sorted(n for n in there if texts.get(n) != there[n])
        for name in wrong:
            print(f"{name}: not what generate.py --write makes", file=sys.stderr)
        return 1 if wrong or not there else 0
    try:
        text = FAMILIES[arguments[0].lower()](*map(int, arguments[1:]))
    except (IndexError, KeyError, TypeError, ValueError):
        print(__doc__, file=sys.stderr)
        return 2
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
