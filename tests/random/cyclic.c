/* The generator, and programs that showed a mistake. */
#include "cyclic.h"

#include <stdio.h>

/* The first two have events that are cut off and come back; the others need exact extensions. */
const char *const cyclic_kept[] = {
    "mutex m[1]; shared int x[1];\n"
    "cond c; semaphore S = 1; shared int y;\n"
    "thread t0 { int k; while (1) { k = trylock(m[0]); if (k) { x[0] = (x[0] + 1) % 3; "
    "unlock(m[0]); } lock(m[0]); unlock(m[0]); } }\n"
    "thread t1 { int k; while (1) { if (k == 1) break; lock(m[0]); if (x[0] == 0) { k = "
    "timedwait(c, m[0]); } x[0] = 0; unlock(m[0]); k = trywait(S); if (k) post(S); } }\n"
    "thread t2 { int k; while (1) { if (k == 1) break; sem_wait(S); y = (y + 1) % 2; post(S); } "
    "}\n",
    "rwlock L; semaphore E = 1, F; shared int z;\n"
    "thread t0 { while (1) { wrlock(L); z = (z + 1) % 2; unlock(L); sem_wait(E); post(F); } }\n"
    "thread t1 { while (1) { sem_wait(F); post(E); wrlock(L); z = (z + 1) % 2; unlock(L); } }\n"
    "thread t2 { while (1) { wrlock(L); z = (z + 1) % 2; unlock(L); } }\n",
    NULL};

static void add(cyclic *t, const char *format, int a, int b, int c) {
  t->length += (size_t)snprintf(t->data + t->length, sizeof t->data - t->length, format, a, b, c);
}

static void guarded(cyclic *t, random_source *r, int mutex) {
  int n = 2 + (int)random_below(r, 2);
  switch (random_below(r, 6)) {
  case 0:
    add(t, "x[%d] = (x[%d] + 1) %% %d; ", mutex, mutex, n);
    break;
  case 1:
    add(t, "k = x[%d]; ", mutex, 0, 0);
    break;
  case 2:
    add(t, "x[%d] = k; ", mutex, 0, 0);
    break;
  case 3:
    add(t, "if (x[%d] == %d) x[%d] = 0; ", mutex, n - 1, mutex);
    break;
  case 4:
    add(t, "if (x[%d] == 0) { x[%d] = 1; k = 1; } ", mutex, mutex, 0);
    break;
  default:
    break;
  }
}

/* Condition variables, a reader-writer lock, semaphores whose sum stays the same, an atomic and its
 * queue. */
static void wide_statement(cyclic *t, random_source *r) {
  switch (random_below(r, 18)) {
  case 0:
    add(t, "sem_wait(S); y = (y + 1) %% 2; post(S); ", 0, 0, 0);
    break;
  case 1:
    add(t, "k = trywait(S); if (k) post(S); ", 0, 0, 0);
    break;
  case 2:
    add(t, "sem_wait(E); post(F); ", 0, 0, 0);
    break;
  case 3:
    add(t, "sem_wait(F); post(E); ", 0, 0, 0);
    break;
  case 4:
    add(t, "rdlock(L); k = z; unlock(L); ", 0, 0, 0);
    break;
  case 5:
    add(t, "wrlock(L); z = (z + 1) %% 2; unlock(L); ", 0, 0, 0);
    break;
  case 6:
    add(t, random_chance(r, 50) ? "k = tryrdlock(L); " : "k = trywrlock(L); ", 0, 0, 0);
    add(t, "if (k) unlock(L); ", 0, 0, 0);
    break;
  case 7:
    add(t, "lock(m[0]); if (x[0] == 0) { k = timedwait(c, m[0]); } x[0] = 0; unlock(m[0]); ", 0, 0,
        0);
    break;
  case 8:
    add(t, "lock(m[0]); while (x[0] == 0) wait(c, m[0]); x[0] = 0; unlock(m[0]); ", 0, 0, 0);
    break;
  case 9:
    add(t, "k = load(a); ", 0, 0, 0);
    break;
  case 10:
    add(t, "store(a, %d); ", (int)random_below(r, 2), 0, 0);
    break;
  case 11:
    add(t, "k = cas(a, %d, %d); ", (int)random_below(r, 2), (int)random_below(r, 2), 0);
    break;
  case 12:
    add(t, "await(a == %d); ", (int)random_below(r, 2), 0, 0);
    break;
  case 13:
    add(t, random_chance(r, 50) ? "k = futex_wait(a, %d); " : "k = timedfutexwait(a, %d); ",
        (int)random_below(r, 2), 0, 0);
    break;
  case 14:
    add(t, "k = futex_wake(a, %d); ", 1 + (int)random_below(r, 2), 0, 0);
    break;
  case 15:
    add(t, "k = cas(a, 0, 1); if (!k) futex_wait(a, 1); ", 0, 0, 0);
    break;
  case 16:
    add(t, "store(a, 0); futex_wake(a, 1); ", 0, 0, 0);
    break;
  default:
    add(t, "lock(m[0]); x[0] = 1; ", 0, 0, 0);
    add(t, random_chance(r, 50) ? "signal(c); unlock(m[0]); " : "unlock(m[0]); broadcast(c); ", 0,
        0, 0);
  }
}

/* What depends on inputs is in u[] and in w, and only branches look at it. */
static void input_statement(cyclic *t, random_source *r, int mutexes) {
  static const char *const tests[] = {"p == 1", "p > 0",  "q == 0", "p == q", "w == 0",
                                      "w == q", "w != p", "p < 2",  "q != 1", "w > 1"};
  static const char *const values[] = {"p", "q", "w", "1 - q", "(w + 1) %% 3", "0"};
  int m = (int)random_below(r, (unsigned)mutexes);
  switch (random_below(r, 8)) {
  case 0:
    add(t, "lock(m[%d]); u[%d] = ", m, m, 0);
    add(t, values[random_below(r, 6)], 0, 0, 0);
    add(t, "; unlock(m[%d]); ", m, 0, 0);
    return;
  case 1:
    add(t, "lock(m[%d]); w = u[%d]; unlock(m[%d]); ", m, m, m);
    return;
  case 2:
    add(t, "w = ", 0, 0, 0);
    add(t, values[random_below(r, 6)], 0, 0, 0);
    add(t, "; ", 0, 0, 0);
    return;
  case 3:
    add(t, "k = branch(p, 3); if (k == 2) { k = 0; lock(m[%d]); x[%d] = 1; unlock(m[%d]); } ", m, m,
        m);
    return;
  default:
    add(t, "k = branch(", 0, 0, 0);
    add(t, tests[random_below(r, 10)], 0, 0, 0);
    add(t, ", 2); ", 0, 0, 0);
    if (random_chance(r, 50)) add(t, "if (k) { lock(m[%d]); x[%d] = 0; unlock(m[%d]); } ", m, m, m);
  }
}

static void statement(cyclic *t, random_source *r, int mutexes) {
  if (t->inputs && random_chance(r, 65)) {
    input_statement(t, r, mutexes);
    return;
  }
  int m = (int)random_below(r, (unsigned)mutexes), n = (m + 1) % mutexes;
  switch (random_below(r, 9)) {
  case 0:
    add(t, "k = trylock(m[%d]); if (k) { ", m, 0, 0);
    guarded(t, r, m);
    add(t, "unlock(m[%d]); } ", m, 0, 0);
    break;
  case 1:
    add(t, "lock(m[%d]); lock(m[%d]); ", m, n, 0);
    guarded(t, r, m);
    guarded(t, r, n);
    add(t, "unlock(m[%d]); unlock(m[%d]); ", n, m, 0);
    break;
  case 2:
    add(t, "k = choose(0, 1); ", 0, 0, 0);
    break;
  case 3:
    add(t, "if (k == %d) { lock(m[%d]); ", (int)random_below(r, 2), m, 0);
    guarded(t, r, m);
    add(t, "unlock(m[%d]); } ", m, 0, 0);
    break;
  case 4:
    add(t, "if (k == 1) { k = 0; lock(m[%d]); unlock(m[%d]); } ", m, m, 0);
    break;
  default:
    add(t, "lock(m[%d]); ", m, 0, 0);
    guarded(t, r, m);
    add(t, "unlock(m[%d]); ", m, 0, 0);
  }
}

static void thread(cyclic *t, random_source *r, int number, int mutexes, bool wide, int meet) {
  unsigned shape = random_below(r, 5);
  add(t, "thread t%d { int k; ", number, 0, 0);
  if (t->inputs) add(t, "int w; ", 0, 0, 0);
  if (shape == 0 && !wide) statement(t, r, mutexes);
  if (shape < 4) add(t, "while (1) { ", 0, 0, 0);
  if (shape == 1) add(t, "if (k == 1) break; ", 0, 0, 0);
  for (unsigned i = 0; i < 1 + random_below(r, 2); i++) {
    if (wide && random_chance(r, 75))
      wide_statement(t, r);
    else
      statement(t, r, mutexes);
    if (number < meet && i == 0) add(t, "arrive(B); ", 0, 0, 0);
  }
  if (shape < 4 && wide) {
    add(t, "} ", 0, 0, 0);
  } else if (shape < 4) {
    /* An iteration without an operation would never end. */
    int m = (int)random_below(r, (unsigned)mutexes);
    add(t, "lock(m[%d]); unlock(m[%d]); } ", m, m, 0);
  }
  add(t, "}\n", 0, 0, 0);
}

void cyclic_generate(cyclic *t, random_source *r) {
  int mutexes = 1 + (int)random_below(r, 2);
  int threads = 2 + (int)random_below(r, 2);
  bool wide = random_chance(r, 50);
  int meet = random_chance(r, 30) ? 2 + (int)random_below(r, (unsigned)threads - 1) : 0;
  t->length = 0;
  add(t, "mutex m[%d]; shared int x[%d];\n", mutexes, mutexes, 0);
  if (t->inputs) add(t, "input int p : 0..2, q : 0..1; shared int u[%d];\n", mutexes, 0, 0);
  if (wide)
    add(t, "cond c; rwlock L; semaphore S = %d, E = %d, F; shared int y, z; atomic int a;\n", 1,
        1 + (int)random_below(r, 2), 0);
  if (meet != 0) add(t, "barrier B = %d;\n", meet, 0, 0);
  for (int i = 0; i < threads; i++)
    thread(t, r, i, mutexes, wide, meet);
  if (!t->inputs && random_chance(r, 20)) {
    add(t, "thread main { ", 0, 0, 0);
    for (int i = 0; i < threads; i++)
      add(t, "spawn(t%d); ", i, 0, 0);
    add(t, "join(t%d); }\n", 0, 0, 0);
  }
}
