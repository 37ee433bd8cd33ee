/* Drawing programs with inputs. What others write is read under a lock, or is atomic, so there are
 * no data races; the values that flow may be those of inputs, except where something compares. */
#include "input_programs.h"

#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1200u

/* What is being written, for one thread. */
typedef struct writer {
  random_source *random;
  const char *effects;
  char text[TEXT_MAX];
  size_t used;
  unsigned id;        /* of the next register */
  unsigned known[32]; /* registers in scope that hold values of atomics or shared variables */
  unsigned known_count;
  unsigned inputs;
  unsigned thread;
} writer;

static void put(writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(w->text + w->used, TEXT_MAX - w->used, format, arguments);
  va_end(arguments);
  if (n > 0 && w->used + (size_t)n < TEXT_MAX) w->used += (size_t)n;
}

static unsigned below(writer *w, unsigned n) {
  return random_below(w->random, n);
}

/* ---- terms ---- */

static const char *const names[] = {"x", "y", "z"};

static void put_value(writer *w) {
  unsigned what = below(w, 10);
  if (what < 5) {
    put(w, "%s", names[below(w, w->inputs)]);
  } else if (what < 8 && w->known_count > 0) {
    put(w, "r%u", w->known[below(w, w->known_count)]);
  } else {
    put(w, "%u", below(w, 4));
  }
}

static void put_term(writer *w) {
  bool sum = below(w, 5) == 0;
  if (sum) put(w, "(");
  put_value(w);
  if (sum) put(w, below(w, 2) == 0 ? " + " : " - "), put_value(w), put(w, ")");
}

static void put_test(writer *w) {
  static const char *const relations[] = {"==", "==", "!=", "<", "<=", ">"};
  if (below(w, 4) != 0)
    put(w, "%s", names[below(w, w->inputs)]);
  else
    put_term(w);
  put(w, " %s ", relations[below(w, 6)]);
  put_term(w);
}

static unsigned learn(writer *w) {
  if (w->known_count < 32) w->known[w->known_count++] = w->id;
  return w->id++;
}

/* ---- statements ---- */

static void put_effect(writer *w);

static void put_body(writer *w) {
  unsigned known = w->known_count;
  put(w, "{ ");
  if (below(w, 3) != 0) put_effect(w);
  put(w, "} ");
  w->known_count = known;
}

static void put_branch(writer *w) {
  unsigned r = w->id++, kind = below(w, 10);
  if (kind < 2) {
    put(w, "branch(");
    put_test(w);
    put(w, ", 2); ");
    return;
  }
  if (kind == 2) {
    unsigned outcomes = 2 + below(w, 3);
    put(w, "int r%u = branch(", r);
    put_term(w);
    put(w, ", %u); if (r%u == %u) ", outcomes, r, below(w, outcomes));
    put_body(w);
    put(w, "else ");
    put_body(w);
    return;
  }
  put(w, "int r%u = branch(", r);
  put_test(w);
  put(w, ", 2); ");
  if (kind == 3) {
    put(w, "assume(r%u); ", r);
    return;
  }
  put(w, "if (r%u) ", r);
  put_body(w);
  put(w, "else ");
  put_body(w);
}

static void put_lock(writer *w) {
  unsigned m = below(w, 2), r;
  switch (below(w, 5)) {
  case 0:
    put(w, "lock(m%u); ", m);
    put_branch(w);
    put(w, "unlock(m%u); ", m);
    break;
  case 1:
    r = learn(w);
    put(w, "int r%u = %s(m%u); if (r%u) unlock(m%u); ", r,
        below(w, 4) == 0 ? "timedlock" : "trylock", m, r, m);
    break;
  case 2:
    put(w, "lock(m%u); ", m);
    break;
  default:
    put(w, "lock(m%u); unlock(m%u); ", m, m);
  }
}

/* A shared variable under its lock. */
static void put_shared(writer *w) {
  unsigned m = below(w, 2), kind = below(w, 3);
  put(w, "lock(m%u); ", m);
  if (kind < 2) {
    put(w, below(w, 2) == 0 ? "s%u = " : "s%u = s%u + ", m, m);
    put_term(w);
    put(w, "; ");
  }
  if (kind > 0) put(w, "int r%u = s%u; ", learn(w), m);
  put(w, "unlock(m%u); ", m);
}

/* An atomic that holds terms: nothing compares its value. */
static void put_atomic(writer *w) {
  static const char *const bits[] = {"and", "or", "xor", "nand"};
  unsigned a = below(w, 2), kind = below(w, 9), known = w->known_count;
  if (kind < 2) {
    put(w, "store(a%u, ", a);
  } else if (kind == 2) {
    put(w, "int r%u = exchange(a%u, ", learn(w), a);
  } else if (kind == 3) {
    put(w, "int r%u = fetch_add(a%u, ", learn(w), a);
  } else if (kind < 6) {
    put(w, "fetch_add(a%u, ", a);
  } else if (kind == 6) {
    put(w, "int r%u = fetch_%s(a%u, ", learn(w), bits[below(w, 4)], a);
  } else {
    put(w, "int r%u = load(a%u); ", learn(w), a);
    return;
  }
  unsigned after = w->known_count;
  w->known_count = known;
  put_term(w);
  w->known_count = after;
  put(w, "); ");
}

/* An atomic that some operations compare: its values are numbers. */
static void put_compared(writer *w) {
  static const char *const relations[] = {"==", "!=", ">=", "<"};
  switch (below(w, 6)) {
  case 0:
    put(w, "store(c, %u); ", below(w, 3));
    break;
  case 1:
    put(w, "fetch_add(c, 1); ");
    break;
  case 2:
    put(w, "await(c %s %u); ", relations[below(w, 4)], below(w, 3));
    break;
  case 3:
    put(w, "exchange_await(c %s %u, %u); ", relations[below(w, 4)], below(w, 3), below(w, 3));
    break;
  case 4:
    put(w, "int r%u = cas(c, %u, %u); ", learn(w), below(w, 2), below(w, 3));
    break;
  default:
    put(w, "int r%u = load(c); ", learn(w));
  }
}

/* Atomics that share bytes; their values are numbers. */
static void put_bytes(writer *w) {
  static const char *const bytes[] = {"w0", "w1", "w2", "w"};
  const char *name = bytes[below(w, 4)];
  switch (below(w, 5)) {
  case 0:
    put(w, "store(%s, %u); ", name, below(w, 3));
    break;
  case 1:
    put(w, "fetch_add(%s, 1); ", name);
    break;
  case 2:
    put(w, "await(%s != %u); ", name, below(w, 2));
    break;
  case 3:
    put(w, "int r%u = cas(%s, 0, 1); ", learn(w), name);
    break;
  default:
    put(w, "int r%u = load(%s); ", learn(w), name);
  }
}

static void put_condition(writer *w) {
  unsigned m = below(w, 2), kind = below(w, 5);
  if (kind < 1)
    put(w, "lock(m%u); wait(d, m%u); unlock(m%u); ", m, m, m);
  else if (kind < 2)
    put(w, "lock(m%u); int r%u = timedwait(d, m%u); unlock(m%u); ", m, learn(w), m, m);
  else if (kind < 4)
    put(w, "signal(d); ");
  else
    put(w, "broadcast(d); ");
}

static void put_futex(writer *w) {
  static const char *const calls[] = {"futex_wait", "futex_wait", "futex_wake", "futex_wake",
                                      "timedfutexwait"};
  unsigned call = below(w, 5);
  put(w, "int r%u = %s(c, %u); ", learn(w), calls[call],
      call == 2 || call == 3 ? below(w, 3) : below(w, 4) == 0);
}

/* The second one has a maximum that its posts can exceed. */
static void put_semaphore(writer *w) {
  unsigned e = below(w, 2), kind = below(w, 6);
  if (kind < 3)
    put(w, "post(e%u); ", e);
  else if (kind == 3)
    put(w, "int r%u = trywait(e%u); ", learn(w), e);
  else
    put(w, "sem_wait(e%u); ", e);
}

static void put_rwlock(writer *w) {
  unsigned kind = below(w, 6);
  if (kind < 2) {
    unsigned r = learn(w);
    put(w, "int r%u = %s(k); if (r%u) { ", r, kind == 0 ? "tryrdlock" : "trywrlock", r);
  } else {
    put(w, kind < 4 ? "rdlock(k); { " : "wrlock(k); { ");
  }
  unsigned known = w->known_count;
  if (below(w, 3) == 0) put_branch(w);
  w->known_count = known;
  put(w, "unlock(k); } ");
}

static void put_choice(writer *w) {
  unsigned r = w->id++;
  put(w, "int r%u = choose(0, 1); ", r);
}

static void put_barrier(writer *w) {
  put(w, "arrive(b); ");
}

/* The first thread has the mailbox. */
static void put_mail(writer *w) {
  if (w->thread != 0 || below(w, 3) == 0) put(w, "mail(q, %u, 5); ", below(w, 2));
  if (w->thread == 0)
    put(w, "int r%u = %s(q, %u); ", w->id++, below(w, 3) == 0 ? "tryaccept" : "accept",
        1 + below(w, 3));
}

/* Messages are numbers, since they are part of operations. */
static void put_message(writer *w) {
  unsigned kind = below(w, 16);
  if (kind < 4)
    put(w, kind < 2 ? "send(h, %u); " : "trysend(h, %u); ", below(w, 3));
  else if (kind < 7)
    put(w, "int r%u = %s(h); ", w->id++, kind < 6 ? "receive" : "tryreceive");
  else if (kind < 9)
    put(w, below(w, 3) == 0 ? "close(h); close(h); " : "close(h); ");
  else if (kind < 12)
    put_mail(w);
  else if (kind < 14)
    put(w, below(w, 3) == 0 ? "set(g, 1); set(g, 2); " : "set(g, 0); ");
  else
    put(w, "int r%u = %s(g); ", w->id++, kind == 14 ? "get" : "poll");
}

static const struct {
  char letter;
  unsigned weight;
  void (*write)(writer *w);
} kinds[] = {
    {'l', 6, put_lock},      {'s', 5, put_shared},    {'a', 5, put_atomic}, {'w', 4, put_compared},
    {'c', 5, put_condition}, {'p', 3, put_semaphore}, {'r', 3, put_rwlock}, {'x', 2, put_choice},
    {'b', 2, put_barrier},   {'f', 3, put_futex},     {'o', 2, put_bytes},  {'m', 7, put_message},
};
#define KINDS (sizeof kinds / sizeof kinds[0])
const char input_effects[] = "lsawcprxbfojm";

static void put_effect(writer *w) {
  unsigned total = 0, at;
  for (size_t i = 0; i < KINDS; i++) {
    if (strchr(w->effects, kinds[i].letter) != NULL) total += kinds[i].weight;
  }
  at = below(w, total);
  for (size_t i = 0; i < KINDS; i++) {
    if (strchr(w->effects, kinds[i].letter) == NULL) continue;
    if (at < kinds[i].weight) {
      kinds[i].write(w);
      return;
    }
    at -= kinds[i].weight;
  }
}

/* ---- programs ---- */

static char *copy(const char *text) {
  char *out = oracle_allocate(strlen(text) + 1);
  strcpy(out, text);
  return out;
}

/* `starts`: it is main, and starts the others; and waits for one of them, perhaps. */
static void draw_thread(input_program *p, writer *w, unsigned t, bool starts) {
  unsigned wanted = 1 + random_below(w->random, p->threads > 3 ? 2 : 3), from = 0;
  w->id = w->known_count = 0;
  w->thread = t;
  if (starts)
    p->statements[t][from++] = copy(p->threads > 2 ? "spawn(t1); spawn(t2); " : "spawn(t1); ");
  for (unsigned i = 0; i < wanted; i++) {
    w->used = 0;
    w->text[0] = '\0';
    if (random_chance(w->random, 55))
      put_branch(w);
    else
      put_effect(w);
    p->statements[t][from++] = copy(w->text);
  }
  if (starts && random_chance(w->random, 60)) p->statements[t][from++] = copy("join(t1); ");
  if (starts && from < INPUT_STATEMENTS) {
    w->used = 0;
    w->text[0] = '\0';
    put_branch(w);
    p->statements[t][from++] = copy(w->text);
  }
  p->counts[t] = from;
}

void input_program_draw(input_program *p, random_source *random, const char *effects) {
  writer w = {.random = random, .effects = effects, .inputs = 1 + random_below(random, 3)};
  char inputs[120];
  size_t used = 0;
  for (unsigned i = 0; i < w.inputs; i++) {
    unsigned high = 1 + random_below(random, w.inputs == 3 ? 3 : 4);
    used += (size_t)snprintf(inputs + used, sizeof inputs - used, "%s%s : 0..%u",
                             i == 0 ? "" : ", ", names[i], high);
  }
  snprintf(p->declarations, sizeof p->declarations,
           "input int %s;\nmutex m0, m1; shared int s0, s1 = 1; atomic int a0, a1 = 1, c; cond d;\n"
           "rwlock k; semaphore e0 = %u, e1 : 1 = %u; barrier b = 2;\n"
           "channel h = 1; mailbox q = 0; future g;\n"
           "atomic int w : 4; overlay w0 = w[0..1], w1 = w[1..2], w2 = w[2..3];\n",
           inputs, random_below(random, 2), random_below(random, 2));
  p->threads = 2 + random_below(random, 3);
  bool starts = strchr(effects, 'j') != NULL && p->threads < 4 && random_chance(random, 25);
  p->starts = starts;
  for (unsigned t = 0; t < p->threads; t++) {
    draw_thread(p, &w, t, t == 0 && starts);
  }
}

void input_program_free(input_program *p) {
  for (unsigned t = 0; t < p->threads; t++) {
    for (unsigned i = 0; i < p->counts[t]; i++) {
      free(p->statements[t][i]);
    }
  }
}

char *input_program_text(const input_program *p) {
  size_t size = sizeof p->declarations + 64 * p->threads, used;
  for (unsigned t = 0; t < p->threads; t++) {
    for (unsigned i = 0; i < p->counts[t]; i++) {
      size += strlen(p->statements[t][i]) + 4;
    }
  }
  char *text = oracle_allocate(size);
  used = (size_t)snprintf(text, size, "%s", p->declarations);
  for (unsigned t = 0; t < p->threads; t++) {
    used += (size_t)snprintf(text + used, size - used,
                             p->starts && t == 0 ? "thread main {\n" : "thread t%u {\n", t);
    for (unsigned i = 0; i < p->counts[t]; i++) {
      used += (size_t)snprintf(text + used, size - used, "  %s\n", p->statements[t][i]);
    }
    used += (size_t)snprintf(text + used, size - used, "}\n");
  }
  return text;
}
