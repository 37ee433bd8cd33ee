/*
 * A sketch as text of the model language.
 */
#include "sketch.h"

#include "program.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
  char *text;
  size_t length, capacity;
} writer;

static void put(writer *w, const char *format, ...) {
  char piece[160];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  size_t length = n < 0 ? 0 : (size_t)n;
  while (w->length + length + 1 > w->capacity) {
    w->capacity = w->capacity == 0 ? 512 : w->capacity * 2;
    w->text = oracle_grow(w->text, w->capacity);
  }
  memcpy(w->text + w->length, piece, length + 1);
  w->length += length;
}

static void put_thread(writer *w, const sketch *s, int thread) {
  if (s->alone && thread == 0) {
    put(w, "main");
  } else {
    put(w, "t%d", thread);
  }
}

static void put_nodes(writer *w, const sketch *s, const node *n, int depth);

static void put_block(writer *w, const sketch *s, const node *n, int depth) {
  put(w, " {\n");
  put_nodes(w, s, n, depth + 1);
  put(w, "%*s}", depth * 2, "");
}

static void put_branches(writer *w, const sketch *s, const node *n, int depth) {
  put_block(w, s, n->body, depth);
  if (n->other != NULL) {
    put(w, " else");
    put_block(w, s, n->other, depth);
  }
  put(w, "\n");
}

static void put_try(writer *w, const sketch *s, const node *n, int depth) {
  const char *word = n->kind == NODE_TRY       ? "trylock(m"
                     : n->kind == NODE_TRYREAD ? "tryrdlock(k"
                                               : "trywrlock(k";
  put(w, "int r%u = %s[%d]);\n%*sif (r%u) {\n", n->id, word, n->a, depth * 2, "", n->id);
  put_nodes(w, s, n->body, depth + 1);
  put(w, "%*sunlock(%c[%d]);\n%*s}", depth * 2 + 2, "", n->kind == NODE_TRY ? 'm' : 'k', n->a,
      depth * 2, "");
  if (n->other != NULL) {
    put(w, " else");
    put_block(w, s, n->other, depth);
  }
  put(w, "\n");
}

/* Opens, body, closes, without braces. */
static void put_section(writer *w, const sketch *s, const node *n, int depth) {
  put_nodes(w, s, n->body, depth);
  put(w, "%*s", depth * 2, "");
  switch (n->kind) {
  case NODE_READ:
  case NODE_WRITE:
    put(w, "unlock(k[%d]);\n", n->a);
    break;
  case NODE_SEMSECTION:
    put(w, "post(e%d);\n", n->a);
    break;
  default:
    put(w, "unlock(m[%d]);\n", n->b);
  }
}

static void put_condition(writer *w, const sketch *s, const node *n, int depth) {
  switch (n->kind) {
  case NODE_WAIT:
    put(w, "wait(c[%d], m[%d]);\n", n->a, n->b);
    break;
  case NODE_TIMEDWAIT:
    put(w, "int r%u = timedwait(c[%d], m[%d]);\n", n->id, n->a, n->b);
    break;
  case NODE_WAITSECTION:
    put(w, "lock(m[%d]);\n%*s%s(c[%d], m[%d]);\n", n->b, depth * 2, "",
        n->d != 0 ? "timedwait" : "wait", n->a, n->b);
    put_section(w, s, n, depth);
    break;
  case NODE_WHILEWAIT:
    put(w, "lock(m[%d]);\n%*swhile (s[%d] == %d) wait(c[%d], m[%d]);\n", n->b, depth * 2, "", n->b,
        n->c, n->a, n->b);
    put_section(w, s, n, depth);
    break;
  default:
    put(w, n->kind == NODE_SIGNAL ? "signal(c[%d]);\n" : "broadcast(c[%d]);\n", n->a);
  }
}

static void put_lock(writer *w, const sketch *s, const node *n, int depth) {
  static const char *const alone[] = {"rdlock", "wrlock", "unlock", "tryrdlock", "trywrlock"};
  switch (n->kind) {
  case NODE_READ:
  case NODE_WRITE:
    put(w, n->kind == NODE_READ ? "rdlock(k[%d]);\n" : "wrlock(k[%d]);\n", n->a);
    put_section(w, s, n, depth);
    break;
  case NODE_TRYREAD:
  case NODE_TRYWRITE:
    put_try(w, s, n, depth);
    break;
  case NODE_RWALONE:
    put(w, "%s(k[%d]);\n", alone[n->b], n->a);
    break;
  case NODE_POST:
  case NODE_SEMWAIT:
    put(w, n->kind == NODE_POST ? "post(e%d);\n" : "sem_wait(e%d);\n", n->a);
    break;
  case NODE_SEMSECTION:
    put(w, "sem_wait(e%d);\n", n->a);
    put_section(w, s, n, depth);
    break;
  case NODE_TRYWAIT:
    put(w, "int r%u = trywait(e%d);\n", n->id, n->a);
    break;
  default:
    put(w, "arrive(b%d);\n", n->a);
  }
}

/* Layouts of ranges of bytes: their declarations, and their names. */
static const struct {
  const char *declarations;
  const char *names[SKETCH_RANGES];
} layouts[SKETCH_LAYOUTS] = {
    {"atomic int w : 2 = %d; overlay l = w[0..0], h = w[1..1];\n", {"w", "l", "h", "l", "h"}},
    {"atomic int w : 4 = %d; overlay l = w[0..1], p = w[1..2], h = w[2..3];\n",
     {"w", "l", "p", "h", "w"}},
    {"atomic int w[3] : 1 = %d; overlay l = w[0..1];\n", {"w[0]", "w[1]", "l", "l", "w[2]"}},
    {"atomic int w = %d; overlay l = w[0..3], b = w[0..0], h = w[4..7];\n",
     {"w", "l", "b", "h", "l"}},
    {"atomic int w : 1 = %d, v : 3; overlay l = w[0..0], h = v[1..2];\n",
     {"w", "l", "v", "h", "w"}},
};

/* The name of an atomic, for the next statement only. */
static const char *atomic_name(const sketch *s, int number, char name[8]) {
  if ((s->families & FAMILY_RANGE) != 0) return layouts[s->layout].names[number];
  snprintf(name, 8, "x[%d]", number % 10);
  return name;
}

static void put_atomic(writer *w, const sketch *s, const node *n) {
  char name[8];
  const char *x = atomic_name(s, n->a, name);
  static const char *const relations[] = {"==", "!=", "<=", ">=", "<", ">"};
  static const char *const bits[] = {"and", "or", "xor", "nand"};
  switch (n->kind) {
  case NODE_LOAD:
    put(w, "int r%u = load(%s);\n", n->id, x);
    break;
  case NODE_STORE:
    put(w, "store(%s, %d);\n", x, n->b);
    break;
  case NODE_FETCHADD:
    put(w, "fetch_add(%s, %d);\n", x, n->b);
    break;
  case NODE_FETCHGET:
    put(w, "int r%u = fetch_add(%s, %d);\n", n->id, x, n->b);
    break;
  case NODE_FETCHBITS:
    put(w, "int r%u = fetch_%s(%s, %d);\n", n->id, bits[n->c], x, n->b);
    break;
  case NODE_EXCHANGE:
    put(w, "int r%u = exchange(%s, %d);\n", n->id, x, n->b);
    break;
  case NODE_CAS:
    put(w, "int r%u = cas(%s, %d, %d);\n", n->id, x, n->b, n->c);
    break;
  case NODE_AWAIT:
    put(w, "await(%s %s %d);\n", x, relations[n->c], n->b);
    break;
  case NODE_FUTEXWAIT:
    put(w, "int r%u = %s(%s, %d);\n", n->id, n->c != 0 ? "timedfutexwait" : "futex_wait", x, n->b);
    break;
  case NODE_FUTEXWAKE:
    put(w, "int r%u = futex_wake(%s, %d);\n", n->id, x, n->b);
    break;
  default:
    put(w, "exchange_await(%s %s %d, %d);\n", x, relations[n->c], n->b, n->d);
  }
}

static void put_message(writer *w, const node *n) {
  switch (n->kind) {
  case NODE_SEND:
    if (n->c != 0) put(w, "int r%u = ", n->id);
    put(w, n->c != 0 ? "trysend(h%d, " : "send(h%d, ", n->a);
    if (n->d != 0)
      put(w, "r%d %% 3);\n", n->d - 1);
    else
      put(w, "%d);\n", n->b);
    break;
  case NODE_RECEIVE:
    put(w, "int r%u = %s(h%d);\n", n->id, n->c != 0 ? "tryreceive" : "receive", n->a);
    break;
  case NODE_CLOSE:
    put(w, "close(h%d);\n", n->a);
    break;
  case NODE_MAIL:
    put(w, "mail(p%d, %d, %d);\n", n->a, n->b, n->d);
    break;
  case NODE_ACCEPT:
    put(w, "int r%u = %s(p%d, %d);\n", n->id, n->c != 0 ? "tryaccept" : "accept", n->a, n->b);
    break;
  case NODE_FUTURESET:
    put(w, "set(f%d, %d);\n", n->a, n->b);
    break;
  default:
    put(w, "int r%u = %s(f%d);\n", n->id, n->c != 0 ? "poll" : "get", n->a);
  }
}

static void put_node(writer *w, const sketch *s, const node *n, int depth) {
  const char *word = n->kind == NODE_ASSUME ? "assume" : "assert";
  put(w, "%*s", depth * 2, "");
  switch (n->kind) {
  case NODE_LOCK:
  case NODE_UNLOCK:
    put(w, "%s(m[%d]);\n", n->kind == NODE_LOCK ? "lock" : "unlock", n->a);
    break;
  case NODE_SECTION:
  case NODE_PICKED: {
    const char *letter = n->kind == NODE_PICKED ? "r" : "";
    put(w, "lock(m[%s%d]);\n", letter, n->a);
    put_nodes(w, s, n->body, depth);
    put(w, "%*sunlock(m[%s%d]);\n", depth * 2, "", letter, n->a);
    break;
  }
  case NODE_TRY:
    put_try(w, s, n, depth);
    break;
  case NODE_TRYKEEP:
    put(w, "int r%u = trylock(m[%d]);\n", n->id, n->a);
    break;
  case NODE_SPAWN:
  case NODE_JOIN:
    put(w, n->kind == NODE_SPAWN ? "spawn(" : "join(");
    put_thread(w, s, n->a);
    put(w, ");\n");
    break;
  case NODE_CHOOSE:
    put(w, "int r%u = choose(%d, %d);\n", n->id, n->a, n->b);
    break;
  case NODE_SET:
    put(w, "s[%d] = %d;\n", n->a, n->b);
    break;
  case NODE_ADD:
    put(w, "s[%d] = (s[%d] + %d) %% 3;\n", n->a, n->a, n->b);
    break;
  case NODE_SETREG:
    put(w, "s[%d] = r%d;\n", n->a, n->b);
    break;
  case NODE_IFREG:
  case NODE_IFCELL:
    put(w, n->kind == NODE_IFREG ? "if (r%d == %d)" : "if (s[%d] == %d)", n->a, n->b);
    put_branches(w, s, n, depth);
    break;
  case NODE_ASSUME:
  case NODE_ASSERT:
    put(w, n->c != 0 ? "%s(r%d != %d);\n" : "%s(s[%d] != %d);\n", word, n->a, n->b);
    break;
  case NODE_TWICE:
    put(w, "int r%u = 0;\n%*swhile (r%u < %d) {\n%*sr%u = r%u + 1;\n", n->id, depth * 2, "", n->id,
        n->a, depth * 2 + 2, "", n->id, n->id);
    put_nodes(w, s, n->body, depth + 1);
    put(w, "%*s}\n", depth * 2, "");
    break;
  default:
    if (n->kind <= NODE_BROADCAST) {
      put_condition(w, s, n, depth);
    } else if (n->kind <= NODE_ARRIVE) {
      put_lock(w, s, n, depth);
    } else if (n->kind < NODE_SEND) {
      put_atomic(w, s, n);
    } else {
      put_message(w, n);
    }
  }
}

static void put_nodes(writer *w, const sketch *s, const node *n, int depth) {
  for (; n != NULL; n = n->next) {
    put_node(w, s, n, depth);
  }
}

static void put_objects(writer *w, const sketch *s) {
  if ((s->families & FAMILY_CONDITION) != 0) put(w, "cond c[%u];\n", SKETCH_CONDITIONS);
  if ((s->families & FAMILY_RWLOCK) != 0) put(w, "rwlock k[%u];\n", SKETCH_RWLOCKS);
  if ((s->families & FAMILY_RANGE) != 0)
    put(w, layouts[s->layout].declarations, s->first);
  else if ((s->families & (FAMILY_ATOMIC | FAMILY_FUTEX)) != 0)
    put(w, "atomic int x[%u];\n", SKETCH_ATOMICS);
  for (unsigned i = 0; i < SKETCH_SEMAPHORES && (s->families & FAMILY_SEMAPHORE) != 0; i++) {
    int value = s->semaphores[i], maximum = s->maxima[i];
    if (maximum > 0 && s->high)
      put(w, "semaphore e%u = %" PRId64 ";\n", i, INT64_MAX - (maximum - value));
    else if (maximum > 0)
      put(w, "semaphore e%u : %d = %d;\n", i, maximum, value);
    else
      put(w, "semaphore e%u = %d;\n", i, value);
  }
  for (unsigned i = 0; i < SKETCH_BARRIERS && (s->families & FAMILY_BARRIER) != 0; i++) {
    put(w, "barrier b%u = %d;\n", i, s->barriers[i]);
  }
  for (unsigned i = 0; i < SKETCH_MESSAGES; i++) {
    if ((s->families & FAMILY_CHANNEL) != 0)
      put(w, s->capacities[i] > 0 ? "channel h%u = %d;\n" : "channel h%u;\n", i, s->capacities[i]);
    if ((s->families & FAMILY_MAILBOX) != 0) put(w, "mailbox p%u = %d;\n", i, s->owners[i]);
    if ((s->families & FAMILY_FUTURE) != 0) put(w, "future f%u;\n", i);
  }
}

char *sketch_text(const sketch *s) {
  writer w = {NULL, 0, 0};
  if (s->bound >= 0) put(&w, "// bound %d\n", s->bound);
  if (s->commuting) put(&w, "// commuting\n");
  put(&w, "shared int s[%u]; mutex m[%u];\n", SKETCH_CELLS, SKETCH_MUTEXES);
  put_objects(&w, s);
  for (unsigned i = 0; i < s->threads; i++) {
    put(&w, "thread ");
    put_thread(&w, s, (int)i);
    put_block(&w, s, s->bodies[i], 0);
    put(&w, "\n");
  }
  return w.text;
}
