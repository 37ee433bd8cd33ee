"""Benchmarks of stateless model checking as programs of the model language: what their threads do, in our own words.

generate.py writes them. Each is named as in the literature; doc/odpor.md says where the programs are from, and what they count.
Loops that only wait are awaits, and loops that only try again are cut off by assume where trying again changes nothing: the forms in which
the literature counts them with awaits. Exchanges that decide, and never those that are only repeated, are part of the counts.
"""

FAMILIES = {}


def family(function):
    FAMILIES[function.__name__.replace("_", "-")] = function
    return function


@family
def lastzero(n):
    return f"""// LASTZERO({n}): each writer makes its place of the array one more than the place before it; one thread looks for the last zero.
atomic int a[{n + 1}];

thread w[i : 1..{n}] {{ int r = load(a[i - 1]); store(a[i], r + 1); }}

thread z {{
  int i = {n};
  int r = load(a[i]);
  while (r != 0) {{ i = i - 1; r = load(a[i]); }}
}}
"""


@family
def loads(n):
    return f"""// LOADS({n}): {n} readers of what one writer stores: each reads before or after it, 2^{n} traces.
atomic int x;

thread w {{ store(x, 1); }}

thread r[i : 0..{n - 1}] {{ load(x); }}
"""


@family
def fib_bench(n):
    return f"""// FIB_BENCH({n}): two threads add each other's numbers {n} times, a third one reads both.
atomic int i = 1, j = 1;

thread a {{ int k = 0; while (k < {n}) {{ int r = load(i); int s = load(j); store(i, r + s); k = k + 1; }} }}

thread b {{ int k = 0; while (k < {n}) {{ int r = load(j); int s = load(i); store(j, r + s); k = k + 1; }} }}

thread c {{ load(i); load(j); }}
"""


@family
def indexer(n):
    return f"""// INDEXER({n}): {n} threads put four values each into one hash table; from 12 threads on some meet.
atomic int table[128];

thread w[t : 0..{n - 1}] {{
  int m = 0;
  while (m < 4) {{
    m = m + 1;
    int v = m * 11 + t;
    int h = v * 7 % 128;
    int done = cas(table[h], 0, v);
    while (done == 0) {{ h = (h + 1) % 128; done = cas(table[h], 0, v); }}
  }}
}}
"""


@family
def filesystem(n):
    return f"""// FILESYSTEM({n}): {n} threads allocate blocks to inodes, each under its own mutex; from 14 threads on some meet.
shared int inode[32], busy[26];
mutex mi[32], mb[26];

thread w[t : 0..{n - 1}] {{
  int i = t % 32;
  lock(mi[i]);
  if (inode[i] == 0) {{
    int b = i * 2 % 26;
    int found = 0;
    while (found == 0) {{
      lock(mb[b]);
      if (busy[b] == 0) {{ busy[b] = 1; inode[i] = b + 1; found = 1; }}
      unlock(mb[b]);
      b = (b + 1) % 26;
    }}
  }}
  unlock(mi[i]);
}}
"""


@family
def sigma(n):
    return f"""// SIGMA({n}): each of {n} threads stores where a number points that main may already have moved on: 1 * 3 * 5 * ... traces.
atomic int at = -1, a[{n}];

thread main {{
  int i = 0;
  while (i < {n}) {{ int r = load(at); store(at, r + 1); spawn(w[i]); i = i + 1; }}
}}

thread w[i : 0..{n - 1}] {{ int r = load(at); store(a[r], 1); }}
"""


@family
def casrot(n):
    return f"""// CASROT({n}): {n} threads compare and swap, each for the value that the one before it leaves.
atomic int x;

thread w[i : 0..{n - 1}] {{ cas(x, i, i + 1); }}
"""


@family
def casw(n):
    return f"""// CASW({n}): {n} threads compare with 0 and swap, then store.
atomic int x;

thread w[i : 0..{n - 1}] {{ cas(x, 0, i + 1); store(x, i + 3); }}
"""


@family
def redundant_co(n):
    return f"""// REDUNDANT_CO({n}): two threads store {n} times each, a third one loads twice: (2 * {n} + 2)! / ({n}! * {n}! * 2) traces.
atomic int x;

thread w[v : 1..2] {{ int k = 0; while (k < {n}) {{ store(x, v); k = k + 1; }} }}

thread r {{ load(x); load(x); }}
"""


@family
def control_flow(n):
    return f"""// CONTROL_FLOW({n}): whether x is written depends on z, and on y twice; {n} readers of x, {n} writers of y.
atomic int x, y, z;

thread p[i : 0..{n - 1}] {{ load(x); }}

thread q[i : 0..{n - 1}] {{ store(y, 1); }}

thread r {{ int v = load(y); if (v == 0) store(z, 1); }}

thread s {{
  int v = load(z);
  if (v == 1) {{
    v = load(y);
    if (v == 0) store(x, 1);
  }}
}}
"""


@family
def exponential_bug(n):
    return f"""// EXPONENTIAL_BUG({n}): a race that only few of many executions show; the writer stores y {n} times in each of two critical sections.
atomic int x, y;
mutex m;

thread writer {{
  int k = 0;
  while (k < 2) {{
    lock(m);
    store(x, 1);
    int i = 0;
    while (i < {n}) {{ store(y, 1); i = i + 1; }}
    unlock(m);
    k = k + 1;
  }}
}}

thread eraser {{
  int k = 0;
  while (k < 2) {{
    lock(m);
    store(x, 0);
    unlock(m);
    int v = load(x);
    if (v > 0) {{ v = load(y); store(y, v + 1); store(x, 2); }}
    k = k + 1;
  }}
}}

thread looker {{
  int k = 0;
  while (k < 2) {{
    int v = load(x);
    if (v > 1) {{
      v = load(y);
      if (v == 3) break;
      store(y, 2);
    }}
    k = k + 1;
  }}
}}
"""


@family
def circular_buffer(n):
    return f"""// CIRCULAR_BUFFER({n}): one thread puts and one takes, {n} times under one mutex, if it is its turn: (2 * {n} choose {n}) traces.
shared int full, put, taken;
mutex m;

thread puts {{
  int k = 0;
  while (k < {n}) {{
    lock(m);
    if (!full) {{ put = put + 1; full = 1; }}
    unlock(m);
    k = k + 1;
  }}
}}

thread takes {{
  int k = 0;
  while (k < {n}) {{
    lock(m);
    if (full) {{ taken = taken + 1; assert(taken == put); full = 0; }}
    unlock(m);
    k = k + 1;
  }}
}}
"""


@family
def opt_lock(n):
    return f"""// OPT_LOCK({n}): two threads write their number and look whether it is still there, at most {n} times.
atomic int x, y;

thread w[i : 0..1] {{
  int k = 0;
  while (k < {n}) {{
    store(x, i);
    store(y, 1);
    int v = load(x);
    if (v == i) {{ load(y); break; }}
    k = k + 1;
  }}
}}
"""


@family
def adds(n, k):
    return f"""// ADDS({n},{k}): {n} threads add 1, and one waits for {k}. With --ifaa: ({n} choose {k}) traces and the one in which it came too late.
atomic int x;

thread w[i : 1..{n}] {{ fetch_add(x, 1); }}

thread q {{ await(x == {k}); }}
"""


@family
def spinners(n):
    return f"""// SPINNERS({n}): {n} threads try a lock until they have it.
atomic int x;

thread w[i : 1..{n}] {{
  int r = 0;
  while (!r) r = cas(x, 0, 1);
  store(x, 0);
}}
"""


@family
def lockers(n):
    return f"""// LOCKERS({n}): {n} threads wait until a lock is free and try it, until they have it.
atomic int x;

thread w[i : 1..{n}] {{
  int r = 0;
  while (!r) {{ await(x == 0); r = cas(x, 0, 1); }}
  store(x, 0);
}}
"""


@family
def ttaslock(n):
    return f"""// TTASLOCK({n}): {n} threads wait until a lock is free and exchange, until they have it. An exchange that finds it taken changes nothing.
atomic int x;

thread w[i : 1..{n}] {{
  await(x == 0);
  exchange_await(x == 0, 1);
  store(x, 0);
}}
"""


@family
def twalock(n):
    return f"""// TWALOCK({n}): a ticket lock whose threads wait at a place of an array while they are not the next.
atomic int next, serving, place[4];

thread w[i : 1..{n}] {{
  int mine = fetch_add(next, 1);
  int now = load(serving);
  while (mine - now > 1) {{
    int before = load(place[mine % 4]);
    now = load(serving);
    if (mine - now > 1) {{ await(place[mine % 4] != before); now = load(serving); }}
  }}
  if (mine != now) await(serving == mine);
  store(serving, mine + 1);
  fetch_add(place[(mine + 2) % 4], 1);
}}
"""


def mellor_crummey_scott(title, n, awaited):
    return f"""// {title}
atomic int tail, next[{n + 1}], locked[{n + 1}];

thread w[i : 1..{n}] {{
  store(locked[i], 0);
  store(next[i], 0);
  int before = exchange(tail, i);
  if (before) {{ store(next[before], i); await(locked[i] != 0); }}
  int after = load(next[i]);
  int last = 0;
  if (!after) last = cas(tail, i, 0);
  if (!last) {{
    {awaited}
    store(locked[after], 1);
  }}
}}
"""


@family
def mcslock(n):
    return mellor_crummey_scott(f"MCSLOCK({n}): the lock of Mellor-Crummey and Scott; waiting threads are a list, and each waits at its own node.",
                                n, "if (!after) after = await(next[i] != 0);")


@family
def mcslock_looks(n):
    return mellor_crummey_scott(f"MCSLOCK-LOOKS({n}): the same, but who hands over looks again and again for the node that comes behind (--bound {n + 1}).",
                                n, "while (!after) after = load(next[i]);")


@family
def mutex(n):
    return f"""// MUTEX({n}): a mutex of three states, 2 when others may wait for the number to change. A thread that changed nothing and still has no
// mutex would only do the same again.
atomic int m, number;

thread w[i : 1..{n}] {{
  int got = cas(m, 0, 1);
  while (!got) {{
    int marked = cas(m, 1, 2);
    int seen = load(number);
    int v = load(m);
    if (v == 2) await(number != seen);
    got = cas(m, 0, 2);
    assume(marked || got);
  }}
  int quick = cas(m, 1, 0);
  if (!quick) {{ store(m, 0); fetch_add(number, 1); }}
}}
"""


READ_LOCK = "v = fetch_add(x, -1); while (v <= 0) { fetch_add(x, 1); await(x > 0); v = fetch_add(x, -1); }"
WRITE_LOCK = ("v = fetch_add(x, -1048576); while (v != 1048576) "
              "{ fetch_add(x, 1048576); await(x == 1048576); v = fetch_add(x, -1048576); }")


@family
def linuxrwlocks(readers, writers, both):
    text = f"""// LINUXRWLOCKS({readers},{writers},{both}): a reader-writer lock by additions, which those who come too early take back. {readers} threads read, {writers} write,
// {both} do one after the other.
atomic int x = 1048576;
"""
    if readers:
        text += f"\nthread r[i : 1..{readers}] {{\n  int v;\n  {READ_LOCK}\n  fetch_add(x, 1);\n}}\n"
    if writers:
        text += f"\nthread w[i : 1..{writers}] {{\n  int v;\n  {WRITE_LOCK}\n  fetch_add(x, 1048576);\n}}\n"
    if both:
        text += (f"\nthread b[i : 1..{both}] {{\n  int v;\n  {READ_LOCK}\n  fetch_add(x, 1);\n"
                 f"  {WRITE_LOCK}\n  fetch_add(x, 1048576);\n}}\n")
    return text


SEQ_READ = "  int before = load(seq);\n  assume(before % 2 == 0);\n  load(data);\n  await(seq == before);\n"
SEQ_WRITE = ("  lock(m);\n  int s = load(seq);\n  store(seq, s + 1);\n  store(data, 1);\n  s = load(seq);\n"
             "  store(seq, s + 1);\n  unlock(m);\n")


@family
def seqlock(readers, writers, both):
    text = f"""// SEQLOCK({readers},{writers},{both}): what a reader saw counts when the number was even and is the same afterwards. {readers} threads read,
// {writers} write under a mutex, {both} do one after the other.
atomic int seq, data;
mutex m;
"""
    if readers:
        text += f"\nthread r[i : 1..{readers}] {{\n{SEQ_READ}}}\n"
    if writers:
        text += f"\nthread w[i : 1..{writers}] {{\n{SEQ_WRITE}}}\n"
    if both:
        text += f"\nthread b[i : 1..{both}] {{\n{SEQ_READ}{SEQ_WRITE}}}\n"
    return text


MPMC_PUT = """  int v = load(rdwr);
  assert(v % 65536 != v / 65536 + 4);
  exchange_await(rdwr == v, v + 1);
  int seen = load(taken);
  assume(seen == v / 65536);
  store(bin[v % 4], 1);
  fetch_add(put, 1);
"""
MPMC_TAKE = """  while (1) {
    int v = load(rdwr);
    if (v / 65536 == v % 65536) break;
    exchange_await(rdwr == v, v + 65536);
    int seen = load(put);
    assume(seen == v % 65536);
    fetch_add(taken, 1);
  }
"""


@family
def mpmc_queue(readers, writers, both):
    text = f"""// MPMC_QUEUE({readers},{writers},{both}): a bounded queue with one element in it. rdwr counts those who began to take (in units of 65536) and to
// put, taken and put those who are done. {readers} threads take until it is empty, {writers} put one, {both} do one after the other.
atomic int rdwr = 1, taken, put = 1, bin[4];
"""
    if writers:
        text += f"\nthread w[i : 1..{writers}] {{\n{MPMC_PUT}}}\n"
    if readers:
        text += f"\nthread r[i : 1..{readers}] {{\n{MPMC_TAKE}}}\n"
    if both:
        inner = "  {\n" + "".join("  " + line + "\n" for line in MPMC_PUT.splitlines()) + "  }\n"
        text += f"\nthread b[i : 1..{both}] {{\n{inner}{MPMC_TAKE}}}\n"
    return text


def ms_enqueue(node):
    return f"""  int told = load(next[{node}]);
  store(next[{node}], told / 1024 * 1024);
  int linked = 0;
  int t;
  while (!linked) {{
    t = load(tail);
    int n = load(next[t % 1024]);
    int again = load(tail);
    if (t == again) {{
      if (n % 1024 == 0) linked = cas(next[t % 1024], n, (n / 1024 + 1) * 1024 + {node});
      if (!linked) {{ n = load(next[t % 1024]); cas(tail, t, (t / 1024 + 1) * 1024 + n % 1024); }}
    }}
  }}
  cas(tail, t, (t / 1024 + 1) * 1024 + {node});
"""


MS_DEQUEUE = """  int done = 0;
  while (!done) {
    int h = load(head);
    int l = load(tail);
    int n = load(next[h % 1024]);
    int again = load(head);
    if (h == again) {
      if (h % 1024 != l % 1024) {
        done = cas(head, h, (h / 1024 + 1) * 1024 + n % 1024);
        assume(done);
      } else if (n % 1024 == 0) {
        done = 1;
      } else {
        cas(tail, l, (l / 1024 + 1) * 1024 + n % 1024);
      }
    }
  }
"""


@family
def ms_queue(readers, writers, both):
    text = f"""// MS_QUEUE({readers},{writers},{both}): the queue of Michael and Scott; a pointer is a node and, in units of 1024, how often it changed. {readers} threads
// take, {writers} put, {both} do one after the other.
atomic int head = 1, tail = 1, next[{writers + both + 2}];
"""
    if writers:
        text += f"\nthread w[i : 1..{writers}] {{\n{ms_enqueue('i + 1')}}}\n"
    if readers:
        text += f"\nthread r[i : 1..{readers}] {{\n{MS_DEQUEUE}}}\n"
    if both:
        text += f"\nthread b[i : 1..{both}] {{\n{ms_enqueue(f'i + {writers + 1}')}{MS_DEQUEUE}}}\n"
    return text


def network(count):
    """Batcher's odd-even merge sort for any number of elements: the pairs that are compared, in order."""
    pairs, p = [], 1
    while p < count:
        k = p
        while k >= 1:
            for j in range(k % p, count - k, 2 * k):
                for i in range(min(k, count - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        pairs.append((i + j, i + j + k))
            k //= 2
        p *= 2
    return pairs


@family
def sortnet(n):
    text = f"""// SORTNET({n}): {n} threads sort {2 * n} numbers by a network; a comparison waits until those before it at its two places are done.
atomic int value[{2 * n}], done[{2 * n}];

thread main {{
"""
    text += "".join(f"  store(value[{i}], {(i * 7 + 3) % (2 * n + 1)});\n" for i in range(2 * n))
    text += "".join(f"  spawn(w{i});\n" for i in range(n)) + "".join(f"  join(w{i});\n" for i in range(n))
    text += f"  int i = 1;\n  int before = load(value[0]);\n  while (i < {2 * n}) {{ int v = load(value[i]); assert(before <= v); before = v; i = i + 1; }}\n}}\n"
    passed = [0] * (2 * n)
    bodies = [""] * n
    for a, b in network(2 * n):
        bodies[a // 2] += (f"  await(done[{a}] == {passed[a]});\n  await(done[{b}] == {passed[b]});\n"
                           f"  p = load(value[{a}]);\n  q = load(value[{b}]);\n"
                           f"  if (p > q) {{ store(value[{a}], q); store(value[{b}], p); }}\n"
                           f"  store(done[{a}], {passed[a] + 1});\n  store(done[{b}], {passed[b] + 1});\n")
        passed[a] += 1
        passed[b] += 1
    return text + "".join(f"\nthread w{i} {{\n  int p;\n  int q;\n{body}}}\n" for i, body in enumerate(bodies))


SAFE_POP = """  while (mine < 0) {{
    await(count > 1);
    int h{r} = load(head);
    int n{r} = exchange_await(next[h{r}] != -1, -1);
    if (n{r} >= 0) {{
      int ok{r} = cas(head, h{r}, n{r});
      if (ok{r}) {{ fetch_add(count, -1); mine = h{r}; }} else exchange(next[h{r}], n{r});
    }}
  }}
  store(value[mine], {t});
  int v{r} = load(value[mine]);
  assert(v{r} == {t});
"""
SAFE_PUSH = """  int o{r} = load(head);
  int in{r} = 0;
  while (!in{r}) {{
    store(next[mine], o{r});
    in{r} = cas(head, o{r}, mine);
    if (!in{r}) o{r} = load(head);
  }}
  fetch_add(count, 1);
  mine = -1;
"""


@family
def safestack(*operations):
    text = f"""// SAFESTACK({",".join(map(str, operations))}): a stack in an array of three, the last of which is never popped. Each number is one thread, which pops and pushes in turn as
// many times. With threads of 3, 3 and 1 operations one element can be popped twice.
atomic int head, count = 3, next[3], value[3];

thread main {{
  store(next[0], 1);
  store(next[1], 2);
  store(next[2], -1);
"""
    text += "".join(f"  spawn(t{i});\n" for i in range(len(operations))) + "}\n"
    for t, count in enumerate(operations):
        rounds = "".join((SAFE_PUSH if r % 2 else SAFE_POP).format(r=r, t=t) for r in range(count))
        text += f"\nthread t{t} {{\n  int mine = -1;\n{rounds}}}\n"
    return text


PROGRAMS = (
    [("lastzero", (n,)) for n in (4, 8, 10, 12)]
    + [("loads", (n,)) for n in (5, 10)]
    + [("fib-bench", (n,)) for n in (2, 3)]
    + [("indexer", (n,)) for n in (11, 12, 13)]
    + [("filesystem", (n,)) for n in (13, 14, 16, 18)]
    + [("sigma", (n,)) for n in (4, 5)]
    + [("casrot", (5,))]
    + [("casw", (n,)) for n in (3, 4, 5)]
    + [("redundant-co", (n,)) for n in (5, 6)]
    + [("control-flow", (n,)) for n in (3, 6)]
    + [("exponential-bug", (n,)) for n in (1, 3)]
    + [("adds", p) for p in ((6, 3), (12, 6), (16, 8), (64, 64))]
    + [("circular-buffer", (5,)), ("opt-lock", (3,)), ("spinners", (3,)), ("lockers", (3,))]
    + [(name, (n,)) for name in ("ttaslock", "twalock") for n in (3, 4)]
    + [(name, (n,)) for name in ("mcslock", "mutex") for n in (2, 3)]
    + [("mcslock-looks", (n,)) for n in (3, 4)]
    + [("linuxrwlocks", (1, 1, 1)), ("seqlock", (1, 1, 1)), ("mpmc-queue", (1, 1, 1)), ("ms-queue", (1, 1, 1))]
    + [("sortnet", (n,)) for n in (4, 5, 6)]
    + [("safestack", p) for p in ((2, 1), (3, 1), (3, 2), (3, 3), (2, 1, 1), (3, 1, 1), (3, 2, 1), (3, 3, 1))]
)
