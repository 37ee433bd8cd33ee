/*
 * Programs with parameters: in a template $a and $b stand for the parameters, $c and $d for one
 * less. DISP, MPAT, MPC, PI, POL, SSBEXP, SSB3 and SPAT are the benchmarks of the paper on
 * quasi-optimal partial order reduction; LOCKS and COUNT are small classics. Then come some
 * for the other effects. ADDS, PAIRS, LOADS, LASTZERO, SIGMA, CASROT, CASW and FIB are benchmarks
 * of papers on stateless model checking of atomic accesses, INDEXER and FILESYSTEM those of the
 * first one on dynamic partial order reduction. test_oracle.c has the traces of small members.
 */
#include "families.h"
#include "program.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *text;
} templates[] = {
    {"LOCKS", "mutex m;\n"
              "thread w[i : 0..$c] { lock(m); unlock(m); }\n"},
    {"COUNT", "shared int c; mutex mc, x[$a];\n"
              "thread w[i : 0..$c] { lock(x[i]); unlock(x[i]); }\n"
              "thread count {\n"
              "  int i = 1;\n"
              "  while (i < $a) { lock(mc); c = i; unlock(mc); i = i + 1; }\n"
              "}\n"
              "thread master { lock(mc); int i = c; unlock(mc); lock(x[i]); unlock(x[i]); }\n"},
    {"DISP", "shared int sid; mutex k, s[$a];\n"
             "thread main {\n"
             "  int i = 0;\n"
             "  while (i < $a) { spawn(server[i]); i = i + 1; }\n"
             "  i = 0;\n"
             "  while (i < $b) {\n"
             "    spawn(picker[i]);\n"
             "    lock(k); int x = sid; unlock(k);\n"
             "    lock(s[x]); unlock(s[x]);\n"
             "    join(picker[i]);\n"
             "    i = i + 1;\n"
             "  }\n"
             "}\n"
             "thread server[i : 0..$c] { lock(s[i]); unlock(s[i]); }\n"
             "thread picker[r : 0..$d] {\n"
             "  int x = 0;\n"
             "  while (x < $a) { lock(k); sid = x; unlock(k); x = x + 1; }\n"
             "}\n"},
    {"MPAT", "mutex mi, ma[$a];\n"
             "thread main {\n"
             "  int i = 0;\n"
             "  while (i < $a) { spawn(w[i]); spawn(r[i]); i = i + 1; }\n"
             "}\n"
             "thread w[i : 0..$c] { lock(ma[i]); unlock(ma[i]); }\n"
             "thread r[i : 0..$c] { lock(mi); lock(ma[i]); unlock(ma[i]); unlock(mi); }\n"},
    {"MPC", "shared int buf; mutex prodmut, mut[$b];\n"
            "thread main {\n"
            "  int i = 0;\n"
            "  while (i < $b) { spawn(worker[i]); i = i + 1; }\n"
            "  i = 0;\n"
            "  while (i < $a) { spawn(producer[i]); i = i + 1; }\n"
            "}\n"
            "thread worker[i : 0..$d] {\n"
            "  lock(mut[i]); unlock(mut[i]); lock(mut[i]); unlock(mut[i]);\n"
            "}\n"
            "thread producer[id : 0..$c] {\n"
            "  int n = 0; int tmp = 0;\n"
            "  while (n < 2) {\n"
            "    lock(prodmut); buf = (buf * $a + id) & 4294967295; tmp = buf; unlock(prodmut);\n"
            "    n = n + 1;\n"
            "  }\n"
            "  lock(mut[tmp % $b]); unlock(mut[tmp % $b]);\n"
            "}\n"},
    {"PI", "mutex m;\n"
           "thread main {\n"
           "  int i = 0;\n"
           "  while (i < $a) { spawn(w[i]); i = i + 1; }\n"
           "  i = 0;\n"
           "  while (i < $a) { join(w[i]); i = i + 1; }\n"
           "}\n"
           "thread w[i : 0..$c] { lock(m); unlock(m); }\n"},
    {"POL", "shared int i; mutex mi, ma[$a];\n"
            "thread main {\n"
            "  int n = 0;\n"
            "  while (n < $a) { spawn(wa[n]); n = n + 1; }\n"
            "  n = 0;\n"
            "  while (n < $b) { spawn(choice[n]); spawn(ra[n]); join(choice[n]); join(ra[n]); n = "
            "n + 1; }\n"
            "  n = 0;\n"
            "  while (n < $a) { join(wa[n]); n = n + 1; }\n"
            "}\n"
            "thread wa[x : 0..$c] { lock(ma[x]); unlock(ma[x]); }\n"
            "thread choice[k : 0..$d] {\n"
            "  int x = 1;\n"
            "  while (x < $a) { lock(mi); i = x; unlock(mi); x = x + 1; }\n"
            "}\n"
            "thread ra[k : 0..$d] { lock(mi); int idx = i; unlock(mi); lock(ma[idx]); "
            "unlock(ma[idx]); }\n"},
    {"SSBEXP", "shared int i; mutex mi, ma[$a];\n"
               "thread main {\n"
               "  int n = 0;\n"
               "  while (n < $a) { spawn(writer[n]); n = n + 1; }\n"
               "  spawn(counter);\n"
               "  lock(mi); int idx = i; unlock(mi);\n"
               "  lock(ma[idx]); unlock(ma[idx]);\n"
               "  n = 0;\n"
               "  while (n < $a) { join(writer[n]); n = n + 1; }\n"
               "  join(counter);\n"
               "}\n"
               "thread writer[x : 0..$c] { lock(ma[x]); unlock(ma[x]); }\n"
               "thread counter {\n"
               "  int x = 1;\n"
               "  while (x < $a) { lock(mi); i = x; unlock(mi); x = x + 1; }\n"
               "}\n"},
    {"SSB3", "shared int z, c; mutex mz, mc, mx, mut[$a];\n"
             "thread main {\n"
             "  int n = 0;\n"
             "  while (n < $a) { spawn(writer[n]); n = n + 1; }\n"
             "  spawn(wc); spawn(rz);\n"
             "  n = 0;\n"
             "  while (n < $a) { join(writer[n]); n = n + 1; }\n"
             "  join(rz); join(wc);\n"
             "}\n"
             "thread writer[i : 0..$c] { lock(mut[i]); unlock(mut[i]); }\n"
             "thread wc {\n"
             "  lock(mz); z = 1; unlock(mz);\n"
             "  int i = 1;\n"
             "  while (i < $a) { lock(mc); c = i; unlock(mc); i = i + 1; }\n"
             "}\n"
             "thread rz {\n"
             "  lock(mz); int l = z; unlock(mz);\n"
             "  int i = 0;\n"
             "  if (l == 1) {\n"
             "    lock(mc); i = c; unlock(mc);\n"
             "    lock(mut[i]); unlock(mut[i]);\n"
             "  } else {\n"
             "    spawn(other);\n"
             "    while (i < $b) { lock(mx); unlock(mx); i = i + 1; }\n"
             "    join(other);\n"
             "  }\n"
             "}\n"
             "thread other { int i = 0; while (i < $b) { lock(mx); unlock(mx); i = i + 1; } }\n"},
    {"SPAT", "mutex m[$b];\n"
             "thread main {\n"
             "  int i = 0;\n"
             "  while (i < $a) { spawn(t[i]); i = i + 1; }\n"
             "  i = 0;\n"
             "  while (i < $a) { join(t[i]); i = i + 1; }\n"
             "}\n"
             "thread t[i : 0..$c] {\n"
             "  if (i < $b) lock(m[i]);\n"
             "  if (i + 1 < $b) lock(m[i + 1]);\n"
             "  if (i + 3 < $b) lock(m[i + 3]);\n"
             "  if (i + 3 < $b) unlock(m[i + 3]);\n"
             "  if (i + 1 < $b) unlock(m[i + 1]);\n"
             "  if (i < $b) unlock(m[i]);\n"
             "}\n"},
    /* $a waiters, $b signals under the mutex. */
    {"WAITERS", "mutex m; cond c;\n"
                "thread w[i : 0..$c] { lock(m); wait(c, m); unlock(m); }\n"
                "thread s[i : 0..$d] { lock(m); signal(c); unlock(m); }\n"},
    /* $a waiters with a mutex each, $b broadcasts. */
    {"HERD", "mutex m[$a]; cond c;\n"
             "thread w[i : 0..$c] { lock(m[i]); wait(c, m[i]); unlock(m[i]); }\n"
             "thread s[i : 0..$d] { broadcast(c); }\n"},
    /* $a producers and as many consumers of one item each, room for $b. */
    {"BUFFER", "shared int held; mutex m; cond more, less;\n"
               "thread p[i : 0..$c] {\n"
               "  lock(m);\n"
               "  while (held == $b) wait(less, m);\n"
               "  held = held + 1; signal(more);\n"
               "  unlock(m);\n"
               "}\n"
               "thread q[i : 0..$c] {\n"
               "  lock(m);\n"
               "  while (held == 0) wait(more, m);\n"
               "  held = held - 1; signal(less);\n"
               "  unlock(m);\n"
               "}\n"},
    /* $a threads wait for one signal of $b, or no longer. */
    {"TIMED", "mutex m; cond c;\n"
              "thread w[i : 0..$c] { lock(m); timedwait(c, m); unlock(m); }\n"
              "thread s[i : 0..$d] { signal(c); }\n"},
    {"READERS", "shared int x; rwlock k;\n"
                "thread r[i : 0..$c] { rdlock(k); int v = x; unlock(k); }\n"
                "thread w[i : 0..$d] { wrlock(k); x = x + 1; unlock(k); }\n"},
    /* The bounded buffer of semaphores: $a producers and consumers, room for $b. */
    {"ITEMS", "semaphore room = $b, items;\n"
              "thread p[i : 0..$c] { sem_wait(room); post(items); }\n"
              "thread q[i : 0..$c] { sem_wait(items); post(room); }\n"},
    /* $a threads go through $b rounds, with a lock in each. */
    {"ROUNDS", "barrier b = $a; mutex m;\n"
               "thread w[i : 0..$c] {\n"
               "  int n = 0;\n"
               "  while (n < $b) { lock(m); unlock(m); arrive(b); n = n + 1; }\n"
               "}\n"},
    /* $a additions that commute, and a thread that waits for $b of them. */
    {"ADDS", "// commuting\n"
             "atomic int x;\n"
             "thread w[i : 0..$c] { fetch_add(x, 1); }\n"
             "thread q { await(x == $b); }\n"},
    /* Threads with two additions each, which commute, and a thread that waits for
     * $b of them. */
    {"PAIRS", "// commuting\n"
              "atomic int x;\n"
              "thread w[i : 0..$c] { fetch_add(x, 1); fetch_add(x, 1); }\n"
              "thread q { await(x == $b); }\n"},
    /* $a threads wait at a futex, one wakes $b of them. */
    {"SLEEPERS", "atomic int x;\n"
                 "thread w[i : 0..$c] { futex_wait(x, 0); }\n"
                 "thread k { futex_wake(x, $b); }\n"},
    /* $a threads with a lock made of a futex, as in examples/model/programs/futex-mutex.unf. */
    {"FUTEX", "atomic int x;\n"
              "thread w[i : 0..$c] {\n"
              "  int won = cas(x, 0, 1);\n"
              "  while (!won) { cas(x, 1, 2); futex_wait(x, 2); won = cas(x, 0, 2); }\n"
              "  int was = fetch_add(x, -1);\n"
              "  if (was != 1) { store(x, 0); futex_wake(x, 1); }\n"
              "}\n"},
    {"LOADS", "atomic int x;\n"
              "thread w { store(x, 1); }\n"
              "thread r[i : 0..$c] { load(x); }\n"},
    {"LASTZERO", "atomic int a[99];\n"
                 "thread w[i : 1..$a] { int r = load(a[i - 1]); store(a[i], r + 1); }\n"
                 "thread z { int i = $a; int r = load(a[i]); while (r != 0) { i = i - 1; r = "
                 "load(a[i]); } }\n"},
    {"INDEXER", "atomic int table[128];\n"
                "thread w[t : 0..$c] {\n"
                "  int m = 0;\n"
                "  while (m < 4) {\n"
                "    m = m + 1;\n"
                "    int v = m * 11 + t; int h = v * 7 % 128; int done = cas(table[h], 0, v);\n"
                "    while (done == 0) { h = (h + 1) % 128; done = cas(table[h], 0, v); }\n"
                "  }\n"
                "}\n"},
    {"FILESYSTEM", "shared int inode[32], busy[26]; mutex mi[32], mb[26];\n"
                   "thread w[t : 0..$c] {\n"
                   "  int i = t % 32;\n"
                   "  lock(mi[i]);\n"
                   "  if (inode[i] == 0) {\n"
                   "    int b = i * 2 % 26; int found = 0;\n"
                   "    while (found == 0) {\n"
                   "      lock(mb[b]);\n"
                   "      if (busy[b] == 0) { busy[b] = 1; inode[i] = b + 1; found = 1; }\n"
                   "      unlock(mb[b]);\n"
                   "      b = (b + 1) % 26;\n"
                   "    }\n"
                   "  }\n"
                   "  unlock(mi[i]);\n"
                   "}\n"},
    {"SIGMA", "atomic int at = -1, a[16];\n"
              "thread main {\n"
              "  int i = 0;\n"
              "  while (i < $a) { int r = load(at); store(at, r + 1); spawn(w[i]); i = i + 1; }\n"
              "}\n"
              "thread w[i : 0..$c] { int r = load(at); store(a[r], 1); }\n"},
    {"CASROT", "atomic int x;\n"
               "thread w[i : 0..$c] { cas(x, i, i + 1); }\n"},
    {"CASW", "atomic int x;\n"
             "thread w[i : 0..$c] { cas(x, 0, i + 1); store(x, i + 3); }\n"},
    {"FIB", "atomic int i = 1, j = 1;\n"
            "thread a { int k = 0; while (k < $a) { int r = load(i); int s = load(j); store(i, r + "
            "s); k = k + 1; } }\n"
            "thread b { int k = 0; while (k < $a) { int r = load(j); int s = load(i); store(j, r + "
            "s); k = k + 1; } }\n"
            "thread c { load(i); load(j); }\n"},
    /* Messages: a senders of b to one receiver; a messages through b places; a senders to one
     * mailbox; a senders and a receiver that try, at b places. */
    {"SENDERS", "channel c;\n"
                "thread s[i : 0..$c] { int m = 0; while (m < $b) { send(c, i); m = m + 1; } }\n"
                "thread r { int m = 0; while (m < $a * $b) { receive(c); m = m + 1; } }\n"},
    {"PIPE", "channel c = $b;\n"
             "thread s { int m = 0; while (m < $a) { send(c, m); m = m + 1; } close(c); }\n"
             "thread r { int m = 0; while (m < $a) { receive(c); m = m + 1; } }\n"},
    {"MAILERS", "mailbox b = $a;\n"
                "thread s[i : 0..$c] { mail(b, i, i); }\n"
                "thread r { int m = 0; while (m < $a) { accept(b, -1); m = m + 1; } }\n"},
    {"TRIERS", "channel c = $b;\n"
               "thread s[i : 0..$c] { trysend(c, i); }\n"
               "thread r { tryreceive(c); tryreceive(c); }\n"},
};

static char *fill(const char *text, const int values[4]) {
  char *out = oracle_allocate(strlen(text) * 6 + 1), *to = out;
  for (const char *c = text; *c != '\0'; c++) {
    if (c[0] == '$' && c[1] >= 'a' && c[1] <= 'd') {
      to += sprintf(to, "%d", values[c[1] - 'a']);
      c++;
    } else {
      *to++ = *c;
    }
  }
  *to = '\0';
  return out;
}

char *family_text(const char *name, int first, int second) {
  const int values[4] = {first, second, first - 1, second - 1};
  for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++) {
    if (strcmp(templates[i].name, name) == 0) return fill(templates[i].text, values);
  }
  return NULL;
}
