/*
 * The programs with known counts. Those of locks and conditions were counted by two independent
 * enumerators, those of atomic variables by brute force, those of futexes by hand.
 */
#include "reference.h"

#define U REFERENCE_UNTOLD
#define PLAIN(...)                                                                                 \
  -1, false, {                                                                                     \
    __VA_ARGS__                                                                                    \
  }
#define COMMUTING(...)                                                                             \
  -1, true, {                                                                                      \
    __VA_ARGS__                                                                                    \
  }
#define BOUND_2(...)                                                                               \
  2, false, {                                                                                      \
    __VA_ARGS__                                                                                    \
  }

const reference_program reference_programs[] = {
    /* Locks, with the mutexes held at the end, failed tries, choices, spawns */
    {"second lock kept",
     "mutex a, b; thread p { lock(a); unlock(a); } thread q { lock(b); lock(a); }",
     PLAIN(2, U, U, U, U)},
    {"both kept", "mutex a, b; thread p { lock(a); } thread q { lock(b); lock(a); }",
     PLAIN(2, U, U, U, U)},
    {"L|L", "mutex m; thread w[i : 0..1] { lock(m); unlock(m); }", PLAIN(2, 0, 9, 8, 2)},
    {"3xL", "mutex m; thread w[i : 0..2] { lock(m); unlock(m); }", PLAIN(6, 0, 31, 30, 18)},
    {"4xL", "mutex m; thread w[i : 0..3] { lock(m); unlock(m); }", PLAIN(24, 0, 129, 128, 144)},
    {"2x[arar]", "mutex m; thread w[i : 0..1] { lock(m); unlock(m); lock(m); unlock(m); }",
     PLAIN(6, 0, 37, 36, 16)},
    {"ABBA",
     "mutex a, b; thread p { lock(a); lock(b); unlock(b); unlock(a); } thread q { lock(b); "
     "lock(a); unlock(a); unlock(b); }",
     PLAIN(3, 1, 20, 16, 4)},
    {"three diners",
     "mutex f[3]; thread d[i : 0..2] { lock(f[i]); lock(f[(i + 1) % 3]); unlock(f[(i + 1) % 3]); "
     "unlock(f[i]); }",
     PLAIN(7, 1, 113, 54, 18)},
    {"choice",
     "mutex m; thread a { int r = choose(0, 1); if (r) { lock(m); unlock(m); } } thread b { "
     "lock(m); unlock(m); }",
     PLAIN(3, 0, U, 10, U)},
    {"T|T", "mutex m; thread w[i : 0..1] { int r = trylock(m); if (r) unlock(m); }",
     PLAIN(4, 0, U, 12, U)},
    {"T|L",
     "mutex m; thread w { int r = trylock(m); if (r) unlock(m); } thread v { lock(m); unlock(m); }",
     PLAIN(3, 0, U, 10, U)},
    {"T|T|L",
     "mutex m; thread w[i : 0..1] { int r = trylock(m); if (r) unlock(m); } thread v { lock(m); "
     "unlock(m); }",
     PLAIN(15, 0, U, 55, U)},
    {"kept|L", "mutex m; thread a { lock(m); } thread b { lock(m); unlock(m); }",
     PLAIN(2, 1, U, 4, U)},
    {"3xkept", "mutex m; thread a[i : 0..2] { lock(m); }", PLAIN(3, 3, U, 3, U)},
    {"double|L", "mutex m; thread a { lock(m); lock(m); } thread b { lock(m); unlock(m); }",
     PLAIN(2, 2, U, 4, U)},
    {"two spawns",
     "atomic int x, y; thread main { spawn(a); spawn(b); } thread a { spawn(d); store(x, 1); } "
     "thread b { spawn(d); store(x, 2); } thread d { store(y, 1); }",
     PLAIN(2, 2, U, 8, U)},
    {"data", "thread a { choose(0, 2); } thread b { choose(-1, 1); }", PLAIN(9, 0, 16, 6, U)},
    {"assume", "thread a { int r = choose(0, 2); assume(r != 1); choose(0, 0); }",
     PLAIN(3, 1, U, 5, U)},
    {"empty", "thread a { } thread b { ; }", PLAIN(1, 0, 1, 0, 0)},
    {"joined", "thread main { spawn(a); join(a); } thread a { choose(0, 1); }",
     PLAIN(2, 0, 6, 5, 2)},
    {"foreign unlock", "mutex m; thread a { unlock(m); } thread b { lock(m); }",
     PLAIN(1, 1, 2, 1, 0)},
    {"own trylock", "mutex m; thread a { lock(m); int r = trylock(m); if (r == 0) unlock(m); }",
     PLAIN(1, 0, 4, 3, 0)},
    /* Conditions */
    {"mutexes kept",
     "mutex m; cond c; thread w[i : 0..1] { lock(m); wait(c, m); } thread s { signal(c); }",
     PLAIN(8, U, U, U, U)},
    {"a choice of signals",
     "cond c; thread a { signal(c); } thread b { int r = choose(0, 1); if (r) signal(c); }",
     PLAIN(2, U, U, U, U)},
    {"a signal later",
     "mutex a, b; cond c; thread p { lock(a); wait(c, a); } thread q { lock(b); wait(c, b); } "
     "thread s { choose(0, 0); signal(c); }",
     PLAIN(3, U, U, U, U)},
    {"two signals later",
     "mutex a, b; cond c; thread p { lock(a); wait(c, a); } thread q { lock(b); wait(c, b); } "
     "thread s[i : 0..1] { choose(0, 0); signal(c); }",
     PLAIN(11, U, U, U, U)},
    {"signals, one by choice",
     "mutex a, b; cond c; thread p { lock(a); wait(c, a); } thread q { lock(b); wait(c, b); } "
     "thread r { int x = choose(0, 1); if (x) signal(c); } thread s { signal(c); }",
     PLAIN(14, U, U, U, U)},
    {"W|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { signal(c); }",
     PLAIN(2, 1, 9, 7, 2)},
    {"W|Sm",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "signal(c); unlock(m); }",
     PLAIN(2, 1, 13, 12, 2)},
    {"W|S|L",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { signal(c); } "
     "thread t2 { lock(m); unlock(m); }",
     PLAIN(5, 2, 30, 23, 12)},
    {"2W|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { signal(c); }",
     PLAIN(8, 8, 42, 35, 24)},
    {"3W|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { lock(m); wait(c, m); unlock(m); } thread t3 { "
     "signal(c); }",
     PLAIN(42, 42, 227, 187, 264)},
    {"2W|S|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { signal(c); } thread t3 { signal(c); }",
     PLAIN(34, 22, 216, 156, 196)},
    {"2W|[sig sig]",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { signal(c); signal(c); }",
     PLAIN(22, 12, 135, 106, 96)},
    {"2W|B",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { broadcast(c); }",
     PLAIN(10, 6, 54, 49, 34)},
    {"2W|Bm",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { lock(m); broadcast(c); unlock(m); }",
     PLAIN(10, 6, 64, 63, 38)},
    {"2W|B|B",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { broadcast(c); } thread t3 { broadcast(c); }",
     PLAIN(46, 18, 300, 228, 280)},
    {"2W|S|B",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { signal(c); } thread t3 { broadcast(c); }",
     PLAIN(44, 20, 276, 212, 270)},
    {"2W|[bro sig]",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { broadcast(c); signal(c); }",
     PLAIN(22, 12, 147, 108, 98)},
    {"W|S|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { signal(c); } "
     "thread t2 { signal(c); }",
     PLAIN(5, 1, 30, 21, 13)},
    {"W|B|B",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { broadcast(c); "
     "} thread t2 { broadcast(c); }",
     PLAIN(5, 1, 30, 21, 13)},
    {"2W|2Sm",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(m); "
     "wait(c, m); unlock(m); } thread t2 { lock(m); signal(c); unlock(m); } thread t3 { lock(m); "
     "signal(c); unlock(m); }",
     PLAIN(72, 32, 489, 488, 576)},
    {"[a w w r]|S|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); wait(c, m); unlock(m); } thread t1 { "
     "signal(c); } thread t2 { signal(c); }",
     PLAIN(7, 5, 36, 29, 23)},
    {"[a w w r]|B|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); wait(c, m); unlock(m); } thread t1 { "
     "broadcast(c); } thread t2 { signal(c); }",
     PLAIN(7, 5, 36, 29, 23)},
    {"[a w sig r]|[a sig w r]",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); signal(c); unlock(m); } thread t1 { "
     "lock(m); signal(c); wait(c, m); unlock(m); }",
     PLAIN(2, 1, 16, 15, 2)},
    {"W|B",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { broadcast(c); "
     "}",
     PLAIN(2, 1, U, 7, U)},
    {"W|W'|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(n); "
     "wait(c, n); unlock(n); } thread t2 { signal(c); }",
     PLAIN(3, 3, U, 13, U)},
    {"W|W'|B",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(n); "
     "wait(c, n); unlock(n); } thread t2 { broadcast(c); }",
     PLAIN(4, 3, U, 20, U)},
    {"W|W'|S|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(n); "
     "wait(c, n); unlock(n); } thread t2 { signal(c); } thread t3 { signal(c); }",
     PLAIN(11, 9, U, 44, U)},
    {"W|W'|S|B",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); unlock(m); } thread t1 { lock(n); "
     "wait(c, n); unlock(n); } thread t2 { signal(c); } thread t3 { broadcast(c); }",
     PLAIN(15, 9, U, 71, U)},
    {"wait twice|W' then B|S",
     "mutex m, n; cond c; thread t0 { lock(m); wait(c, m); wait(c, m); } thread t1 { lock(n); "
     "wait(c, n); unlock(n); broadcast(c); } thread t2 { signal(c); }",
     PLAIN(4, 4, U, 18, U)},
    {"flag and condition",
     "mutex m; cond c; shared int ready; thread a { lock(m); while (ready == 0) wait(c, m); "
     "unlock(m); } thread b { lock(m); ready = 1; signal(c); unlock(m); }",
     PLAIN(2, 0, U, U, U)},
    {"wait without the mutex", "mutex m; cond c; thread a { wait(c, m); } thread b { signal(c); }",
     PLAIN(1, 1, 2, 1, 0)},
    {"two waiters in loops and two signallers, bound 2",
     "mutex m; cond c; shared int ready; thread a[i : 0..1] { lock(m); while (ready == 0) wait(c, "
     "m); ready = 0; unlock(m); } thread b[i : 0..1] { lock(m); ready = 1; signal(c); unlock(m); }",
     BOUND_2(60, 28, U, 424, U)},
    /* Time-outs */
    {"timed wait alone", "mutex m, n; cond c; thread a { lock(m); timedwait(c, m); unlock(m); }",
     PLAIN(1, 0, 6, 5, 0)},
    {"timed wait|S",
     "mutex m, n; cond c; thread a { lock(m); int r = timedwait(c, m); assert(r == 0 || r == 1); "
     "unlock(m); } thread b { signal(c); }",
     PLAIN(3, 0, U, 14, U)},
    {"two timed waits",
     "mutex m, n; cond c; thread a { lock(m); timedwait(c, m); } thread b { lock(n); timedwait(c, "
     "n); }",
     PLAIN(1, 0, 25, 8, 0)},
    {"timed wait, then notified only",
     "mutex m, n; cond c; thread a { lock(m); int r = timedwait(c, m); assume(r); } thread b { "
     "broadcast(c); }",
     PLAIN(3, 2, U, 11, U)},
    /* Reader-writer locks, semaphores, barriers */
    {"four readers", "rwlock k; thread a[i : 0..3] { rdlock(k); unlock(k); }",
     PLAIN(1, 0, 81, 8, 0)},
    {"two readers|writer",
     "rwlock k; thread a[i : 0..1] { rdlock(k); unlock(k); } thread b { wrlock(k); unlock(k); }",
     PLAIN(4, 0, U, 20, U)},
    {"two writers", "rwlock k; thread a[i : 0..1] { wrlock(k); unlock(k); }", PLAIN(2, 0, 9, 8, 2)},
    {"failed tries commute",
     "rwlock k; thread a { wrlock(k); } thread b { tryrdlock(k); } thread d { trywrlock(k); }",
     PLAIN(3, 2, U, 7, U)},
    {"reader twice",
     "rwlock k; thread a { rdlock(k); rdlock(k); unlock(k); unlock(k); unlock(k); }",
     PLAIN(1, 1, 5, 4, 0)},
    {"upgrade",
     "rwlock k; thread a { rdlock(k); int r = trywrlock(k); assert(r == 0); wrlock(k); }",
     PLAIN(1, 1, 3, 2, 0)},
    {"posts commute", "semaphore s; thread a[i : 0..2] { post(s); } thread b { sem_wait(s); }",
     PLAIN(7, 0, U, U, U)},
    {"semaphore as a lock", "semaphore s = 1; thread a[i : 0..1] { sem_wait(s); post(s); }",
     PLAIN(2, 0, 9, 8, 2)},
    {"trywait|post",
     "semaphore s; thread a { int r = trywait(s); assert(r == 0 || r == 1); } thread b { post(s); "
     "}",
     PLAIN(2, 0, 5, 4, 2)},
    {"posts below a maximum commute", "semaphore s : 2; thread a[i : 0..1] { post(s); }",
     PLAIN(1, 0, 4, 2, 0)},
    {"posts below the greatest number commute",
     "semaphore s = 9223372036854775805; thread a[i : 0..1] { post(s); }", PLAIN(1, 0, 4, 2, 0)},
    {"posts that could exceed a maximum",
     "semaphore s : 2; thread a { if (0) post(s); post(s); } thread b { post(s); }",
     PLAIN(2, 0, 5, 4, 2)},
    {"posts in a loop",
     "semaphore s = 9223372036854775800; thread a[i : 0..1] { int n; while (n < 1) { post(s); n = "
     "n + 1; } }",
     PLAIN(2, 0, 5, 4, 2)},
    {"semaphore of one as a lock",
     "semaphore s : 1 = 1; thread a[i : 0..1] { sem_wait(s); post(s); }", PLAIN(2, 0, 9, 8, 2)},
    {"failed waits commute", "semaphore s; thread a[i : 0..3] { trywait(s); }",
     PLAIN(1, 0, 16, 4, 0)},
    {"barrier of four", "barrier b = 4; thread a[i : 0..3] { arrive(b); }", PLAIN(1, 0, 31, 8, 0)},
    {"two rounds", "barrier b = 2; thread a[i : 0..1] { arrive(b); arrive(b); }",
     PLAIN(1, 0, U, 8, 0)},
    {"barrier with one missing", "barrier b = 3; thread a[i : 0..1] { arrive(b); }",
     PLAIN(1, 1, 4, 2, 0)},
    {"barrier used again by others",
     "barrier b = 2; thread main { spawn(t[0]); spawn(t[1]); join(t[0]); join(t[1]); spawn(t[2]); "
     "spawn(t[3]); } thread t[i : 0..3] { arrive(b); }",
     PLAIN(1, 0, U, 14, 0)},
    /* Atomic variables */
    {"xaw != 1|store 1; store 0",
     "atomic int x; thread a { exchange_await(x != 1, 1); } thread b { store(x, 1); store(x, 0); }",
     PLAIN(2, U, U, U, U)},
    {"faa 1|faa 2|await 2, commuting",
     "atomic int x; thread a { fetch_add(x, 1); } thread b { fetch_add(x, 2); } thread d { await(x "
     "== 2); }",
     COMMUTING(2, U, U, U, U)},
    {"faa 1|faa 2|store|faa, await, commuting",
     "atomic int x; thread a { fetch_add(x, 1); } thread b { fetch_add(x, 2); } thread d { "
     "store(x, 0); } thread e { fetch_add(x, 1); await(x != 3); }",
     COMMUTING(24, U, U, U, U)},
    {"faa used|store, faa|exchange",
     "atomic int x, y; thread a { int r = fetch_add(x, 2); } thread b { store(y, 0); fetch_add(x, "
     "2); } thread d { exchange(x, 0); }",
     PLAIN(6, U, U, U, U)},
    {"five readers", "atomic int x; thread w { store(x, 1); } thread r[i : 0..4] { load(x); }",
     PLAIN(32, U, U, U, U)},
    {"last zero of four",
     "atomic int a[5]; thread w[i : 1..4] { int r = load(a[i - 1]); store(a[i], r + 1); } thread z "
     "{ int i = 4; int r = load(a[4]); while (r != 0) { i = i - 1; r = load(a[i]); } }",
     PLAIN(28, 0, U, U, U)},
    {"cas|cas", "atomic int x, y; thread t0 { cas(x, 0, 1); } thread t1 { cas(x, 0, 2); }",
     PLAIN(2, 0, U, 4, U)},
    {"cas|faa|faa",
     "atomic int x, y; thread t0 { cas(x, 1, 5); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); }",
     PLAIN(6, 0, U, 15, U)},
    {"cas|faa|faa, commuting",
     "atomic int x, y; thread t0 { cas(x, 1, 5); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); }",
     COMMUTING(4, 0, U, 10, U)},
    {"store 1; store 0|await 1",
     "atomic int x, y; thread t0 { store(x, 1); store(x, 0); } thread t1 { await(x == 1); }",
     PLAIN(2, 1, U, 4, U)},
    {"store 1; store 0|await 0",
     "atomic int x, y; thread t0 { store(x, 1); store(x, 0); } thread t1 { await(x == 0); }",
     PLAIN(2, 0, U, 6, U)},
    {"load|xaw", "atomic int x, y; thread t0 { load(x); } thread t1 { exchange_await(x == 0, 1); }",
     PLAIN(2, 0, U, 4, U)},
    {"load; load|xaw",
     "atomic int x, y; thread t0 { load(x); load(x); } thread t1 { exchange_await(x == 0, 1); }",
     PLAIN(3, 0, U, 8, U)},
    {"faa; faa|await|xaw, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); fetch_add(x, 1); } thread t1 { await(x <= 1); "
     "} thread t2 { exchange_await(x == 2, 1); }",
     COMMUTING(3, 0, U, 11, U)},
    {"stores of two",
     "atomic int x, y; thread t0 { store(x, 1); store(y, 1); } thread t1 { store(x, 2); store(y, "
     "2); }",
     PLAIN(4, 0, U, U, U)},
    {"3 faa|await 3",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { await(x == 3); }",
     PLAIN(6, 0, U, U, U)},
    {"3 faa|await 3, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { await(x == 3); }",
     COMMUTING(1, 0, U, U, U)},
    {"6 faa|await >= 3, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { fetch_add(x, 1); } thread t5 { "
     "fetch_add(x, 1); } thread t6 { await(x >= 3); }",
     COMMUTING(42, 0, U, U, U)},
    {"6 faa|await <= 2, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { fetch_add(x, 1); } thread t5 { "
     "fetch_add(x, 1); } thread t6 { await(x <= 2); }",
     COMMUTING(23, 1, U, U, U)},
    {"6 faa|await != 3, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { fetch_add(x, 1); } thread t5 { "
     "fetch_add(x, 1); } thread t6 { await(x != 3); }",
     COMMUTING(44, 0, U, U, U)},
    {"4 faa|await 2, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { await(x == 2); }",
     COMMUTING(7, 1, U, U, U)},
    {"6 faa|await 3, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { fetch_add(x, 1); } thread t5 { "
     "fetch_add(x, 1); } thread t6 { await(x == 3); }",
     COMMUTING(21, 1, U, U, U)},
    {"6 faa|await 6, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { fetch_add(x, 1); } thread t5 { "
     "fetch_add(x, 1); } thread t6 { await(x == 6); }",
     COMMUTING(1, 0, U, U, U)},
    {"8 faa|await 4, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { fetch_add(x, 1); } thread t5 { "
     "fetch_add(x, 1); } thread t6 { fetch_add(x, 1); } thread t7 { fetch_add(x, 1); } thread t8 { "
     "await(x == 4); }",
     COMMUTING(71, 1, U, U, U)},
    {"10 faa|await 5, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { fetch_add(x, 1); } thread t5 { "
     "fetch_add(x, 1); } thread t6 { fetch_add(x, 1); } thread t7 { fetch_add(x, 1); } thread t8 { "
     "fetch_add(x, 1); } thread t9 { fetch_add(x, 1); } thread t10 { await(x == 5); }",
     COMMUTING(253, 1, U, U, U)},
    {"12 faa|await 6, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); } thread t2 { "
     "fetch_add(x, 1); } thread t3 { fetch_add(x, 1); } thread t4 { fetch_add(x, 1); } thread t5 { "
     "fetch_add(x, 1); } thread t6 { fetch_add(x, 1); } thread t7 { fetch_add(x, 1); } thread t8 { "
     "fetch_add(x, 1); } thread t9 { fetch_add(x, 1); } thread t10 { fetch_add(x, 1); } thread t11 "
     "{ fetch_add(x, 1); } thread t12 { await(x == 6); }",
     COMMUTING(925, 1, U, U, U)},
    {"4x[faa faa]|await 4, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); fetch_add(x, 1); } thread t1 { fetch_add(x, "
     "1); fetch_add(x, 1); } thread t2 { fetch_add(x, 1); fetch_add(x, 1); } thread t3 { "
     "fetch_add(x, 1); fetch_add(x, 1); } thread t4 { await(x == 4); }",
     COMMUTING(20, 1, U, U, U)},
    {"faa 2, store|faa 2|await 2, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 2); store(x, 0); } thread t1 { fetch_add(x, 2); } "
     "thread t2 { await(x == 2); }",
     COMMUTING(5, 1, U, U, U)},
    {"faa|faa, xaw|xaw, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 1); } thread t1 { fetch_add(x, 1); "
     "exchange_await(x == 2, 1); } thread t2 { exchange_await(x != 2, 0); }",
     COMMUTING(4, 2, U, U, U)},
    {"faa 2, xaw|xaw|faa 2, commuting",
     "atomic int x, y; thread t0 { fetch_add(x, 2); exchange_await(x >= 0, 1); } thread t1 { "
     "exchange_await(x <= 2, 2); } thread t2 { fetch_add(x, 2); }",
     COMMUTING(8, 1, U, U, U)},
    {"two flags",
     "atomic int x, y; thread t0 { store(x, 1); await(y == 0); store(x, 0); } thread t1 { store(y, "
     "1); await(x == 0); store(y, 0); }",
     PLAIN(3, 1, U, U, U)},
    /* Futexes: F waits, T with a time limit, Kn wakes n */
    {"F|K1", "atomic int x; thread a { futex_wait(x, 0); } thread b { futex_wake(x, 1); }",
     PLAIN(2, 1, 6, 5, U)},
    {"F|K0", "atomic int x; thread a { futex_wait(x, 0); } thread b { futex_wake(x, 0); }",
     PLAIN(1, 1, 4, 2, 0)},
    {"F|F|K1",
     "atomic int x; thread a[i : 0..1] { futex_wait(x, 0); } thread b { futex_wake(x, 1); }",
     PLAIN(3, 3, U, 9, U)},
    {"F|F|K2",
     "atomic int x; thread a[i : 0..1] { futex_wait(x, 0); } thread b { futex_wake(x, 2); }",
     PLAIN(4, 3, U, U, U)},
    {"F|F|F|K2",
     "atomic int x; thread a[i : 0..2] { futex_wait(x, 0); } thread b { futex_wake(x, 2); }",
     PLAIN(7, 7, U, U, U)},
    {"F|F|K1|K1",
     "atomic int x; thread a[i : 0..1] { futex_wait(x, 0); } thread b[i : 0..1] { futex_wake(x, "
     "1); }",
     PLAIN(11, 9, U, U, U)},
    {"T|K1", "atomic int x; thread a { timedfutexwait(x, 0); } thread b { futex_wake(x, 1); }",
     PLAIN(3, 0, U, U, U)},
    {"F|store, K1",
     "atomic int x; thread a { futex_wait(x, 0); } thread b { store(x, 1); futex_wake(x, 1); }",
     PLAIN(2, 0, U, 7, U)},
    {"F|K1, store",
     "atomic int x; thread a { futex_wait(x, 0); } thread b { futex_wake(x, 1); store(x, 1); }",
     PLAIN(3, 1, U, U, U)},
    {"F|F of another word|K1",
     "atomic int x, y; thread a { futex_wait(x, 0); } thread c { futex_wait(y, 0); } thread b { "
     "futex_wake(x, 1); }",
     PLAIN(2, 2, U, U, U)},
    /* Channels: the orders of the sends, the receives, and of a try beside what decides it */
    {"2S|2S|4R",
     "channel c; thread a[i : 0..1] { send(c, i); send(c, i); } thread b { receive(c); receive(c); "
     "receive(c); receive(c); }",
     PLAIN(6, 0, U, U, U)},
    {"2S|2S|4R, two places",
     "channel c = 2; thread a[i : 0..1] { send(c, i); send(c, i); } thread b { receive(c); "
     "receive(c); receive(c); receive(c); }",
     PLAIN(6, 0, U, U, U)},
    {"3S|3R, three places",
     "channel c = 3; thread a { send(c, 1); send(c, 2); send(c, 3); } thread b { receive(c); "
     "receive(c); receive(c); }",
     PLAIN(1, 0, 10, 6, 0)},
    {"3S|3R, one place",
     "channel c = 1; thread a { send(c, 1); send(c, 2); send(c, 3); } thread b { receive(c); "
     "receive(c); receive(c); }",
     PLAIN(1, 0, 7, 6, 0)},
    {"S|tryR", "channel c; thread a { send(c, 1); } thread b { int r = tryreceive(c); }",
     PLAIN(2, 0, 5, 4, 2)},
    {"tryS|tryS, one place",
     "channel c = 1; thread a { int r = trysend(c, 1); } thread b { int r = trysend(c, 1); }",
     PLAIN(2, 0, 5, 4, 2)},
    {"S, tryS, one place|R",
     "channel c = 1; thread a { send(c, 1); trysend(c, 2); } thread b { receive(c); }",
     PLAIN(2, 0, U, 5, U)},
    {"S|R|R", "channel c; thread a { send(c, 1); } thread b[i : 0..1] { receive(c); }",
     PLAIN(2, 2, U, 3, U)},
    {"close|R|R", "channel c; thread a { close(c); } thread b[i : 0..1] { receive(c); }",
     PLAIN(1, 0, 5, 3, 0)},
    {"S, close|R, R",
     "channel c; thread a { send(c, 1); close(c); } thread b { receive(c); receive(c); }",
     PLAIN(2, 0, U, U, U)},
    {"close|tryR", "channel c; thread a { close(c); } thread b { tryreceive(c); }",
     PLAIN(2, 0, 5, 4, 2)},
    /* Mailboxes: which message is received */
    {"M|M|2A, any",
     "mailbox b = 2; thread a[i : 0..1] { mail(b, i, i); } thread c { accept(b, 3); accept(b, 3); "
     "}",
     PLAIN(2, 0, U, 6, U)},
    {"M|M|A of one tag",
     "mailbox b = 2; thread a[i : 0..1] { mail(b, i, i); } thread c { accept(b, 1); accept(b, 2); "
     "}",
     PLAIN(1, 0, U, 4, 0)},
    {"2M|A of the second",
     "mailbox b = 1; thread a { mail(b, 0, 5); mail(b, 1, 6); } thread c { accept(b, 2); "
     "accept(b, 3); }",
     PLAIN(1, 0, U, 4, 0)},
    {"M|tryA", "mailbox b = 1; thread a { mail(b, 0, 5); } thread c { tryaccept(b, 3); }",
     PLAIN(2, 0, 5, 4, 2)},
    {"M|tryA of another tag",
     "mailbox b = 1; thread a { mail(b, 0, 5); } thread c { tryaccept(b, 2); }",
     PLAIN(1, 0, 4, 2, 0)},
    /* Futures */
    {"set|get|get", "future f; thread a { set(f, 1); } thread b[i : 0..1] { get(f); }",
     PLAIN(1, 0, 5, 3, 0)},
    {"set|set", "future f; thread a[i : 0..1] { set(f, i); }", PLAIN(2, 0, 5, 4, 2)},
    {"set|poll", "future f; thread a { set(f, 1); } thread b { poll(f); }", PLAIN(2, 0, 5, 4, 2)},
};
const size_t reference_count = sizeof reference_programs / sizeof reference_programs[0];
