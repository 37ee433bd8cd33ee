#include "terms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char arguments_of[TERM_OPERATORS] = {
#define TERM_ARGUMENTS(name, arguments) arguments,
    TERM_TABLE(TERM_ARGUMENTS)
#undef TERM_ARGUMENTS
};

static uint32_t hash_of(const struct term_node *n) {
  const uint64_t words[] = {n->op, n->argument[0], n->argument[1], n->argument[2],
                            (uint64_t)n->value};
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return (uint32_t)(hash ^ hash >> 32);
}

static bool same(const struct term_node *a, const struct term_node *b) {
  return a->op == b->op && a->value == b->value && a->argument[0] == b->argument[0] &&
         a->argument[1] == b->argument[1] && a->argument[2] == b->argument[2];
}

/* Where in the table a term stands or would stand. */
static uint32_t slot_of(const struct terms *t, const struct term_node *node) {
  uint32_t at = hash_of(node) & (t->table_room - 1);
  while (t->table[at] != 0 && !same(&t->nodes[t->table[at]], node))
    at = (at + 1) & (t->table_room - 1);
  return at;
}

/* The table is at most half full. */
static bool enlarge(struct terms *t) {
  if (t->count == t->room) {
    if (t->room >= UINT32_MAX / 4) return false;
    const uint32_t room = 2 * t->room + 64;
    struct term_node *nodes = realloc(t->nodes, room * sizeof *nodes);
    if (nodes == NULL) return false;
    t->nodes = nodes;
    t->room = room;
  }
  if (2 * (t->count + 1) <= t->table_room) return true;
  const uint32_t room = t->table_room > 0 ? 2 * t->table_room : 256;
  uint32_t *table = calloc(room, sizeof *table);
  if (table == NULL) return false;
  free(t->table);
  t->table = table;
  t->table_room = room;
  for (uint32_t i = 1; i < t->count; i++)
    t->table[slot_of(t, &t->nodes[i])] = i;
  return true;
}

static term intern(struct terms *t, const struct term_node *node) {
  if (t->failed) return TERM_NONE;
  const uint32_t found = t->table[slot_of(t, node)];
  if (found != 0) return found;
  if (!enlarge(t)) {
    t->failed = true;
    return TERM_NONE;
  }
  t->table[slot_of(t, node)] = t->count;
  t->nodes[t->count] = *node;
  return t->count++;
}

bool terms_make(struct terms *t) {
  memset(t, 0, sizeof *t);
  if (!enlarge(t)) return false;
  memset(&t->nodes[0], 0, sizeof t->nodes[0]);
  t->count = 1;
  return true;
}

void terms_free(struct terms *t) {
  free(t->nodes);
  free(t->table);
  free(t->values);
  free(t->valued.rounds);
  free(t->stack);
}

uint64_t terms_bytes(const struct terms *t) {
  return t->room * sizeof *t->nodes + t->table_room * sizeof *t->table +
         t->value_room * sizeof *t->values + t->stack_room * sizeof *t->stack +
         t->valued.room * sizeof *t->valued.rounds;
}

term terms_like(struct terms *t, const struct term_node *node) {
  return intern(t, node);
}

term terms_constant(struct terms *t, int64_t value) {
  const struct term_node node = {.op = TERM_CONSTANT, .value = value, .low = value, .high = value};
  return intern(t, &node);
}

term terms_input(struct terms *t, uint32_t number, int64_t low, int64_t high) {
  if (low == high) return terms_constant(t, low);
  const struct term_node node = {.op = TERM_INPUT, .value = number, .low = low, .high = high};
  return intern(t, &node);
}

bool terms_is_constant(const struct terms *t, term a, int64_t *value) {
  *value = t->nodes[a].value;
  return t->nodes[a].op == TERM_CONSTANT;
}

/* ---- numbers ---- */

/* Arithmetic, whatever the compiler does with negative numbers. */
static int64_t shift_right(int64_t a, int64_t b) {
  if (b < 0 || b > 63) b = 63;
  return a >= 0 ? a >> b : ~(~a >> b);
}

static int64_t divide(int64_t a, int64_t b) {
  if (b == 0) return a < 0 ? 1 : -1;
  return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t remainder_of(int64_t a, int64_t b) {
  if (b == 0) return a;
  return b == -1 ? 0 : a % b;
}

int64_t term_apply(enum term_operator op, int64_t a, int64_t b) {
  const uint64_t x = (uint64_t)a, y = (uint64_t)b;
  int64_t unused;
  switch (op) {
  case TERM_ADD:
    return (int64_t)(x + y);
  case TERM_SUBTRACT:
    return (int64_t)(x - y);
  case TERM_MULTIPLY:
    return (int64_t)(x * y);
  case TERM_DIVIDE:
    return divide(a, b);
  case TERM_REMAINDER:
    return remainder_of(a, b);
  case TERM_AND:
    return (int64_t)(x & y);
  case TERM_OR:
    return (int64_t)(x | y);
  case TERM_XOR:
    return (int64_t)(x ^ y);
  case TERM_SHIFT_LEFT:
    return y > 63 ? 0 : (int64_t)(x << y);
  case TERM_SHIFT_RIGHT:
    return shift_right(a, b);
  case TERM_EQUAL:
    return a == b;
  case TERM_LESS:
    return a < b;
  case TERM_AT_MOST:
    return a <= b;
  case TERM_ADD_OVERFLOWS:
    return __builtin_add_overflow(a, b, &unused);
  case TERM_SUBTRACT_OVERFLOWS:
    return __builtin_sub_overflow(a, b, &unused);
  case TERM_MULTIPLY_OVERFLOWS:
    return __builtin_mul_overflow(a, b, &unused);
  default:
    return 0;
  }
}

/* ---- what values a term can have ---- */

static const struct term_node everything = {.low = INT64_MIN, .high = INT64_MAX};

static bool overflows(enum term_operator op, int64_t a, int64_t b) {
  switch (op) {
  case TERM_ADD:
    return term_apply(TERM_ADD_OVERFLOWS, a, b) != 0;
  case TERM_SUBTRACT:
    return term_apply(TERM_SUBTRACT_OVERFLOWS, a, b) != 0;
  case TERM_MULTIPLY:
    return term_apply(TERM_MULTIPLY_OVERFLOWS, a, b) != 0;
  case TERM_SHIFT_LEFT:
    return shift_right(term_apply(op, a, b), b) != a;
  default:
    return a == INT64_MIN && b == -1;
  }
}

/* Of an operation that is monotonic in each argument, as long as it does not overflow: its least
 * and largest values are at corners. Whether none of them overflows. */
static bool corners(enum term_operator op, const struct term_node *a, const struct term_node *b,
                    struct term_node *out) {
  const int64_t as[] = {a->low, a->high}, bs[] = {b->low, b->high};
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (unsigned i = 0; i < 4; i++) {
    if (overflows(op, as[i / 2], bs[i % 2])) return false;
    const int64_t value = term_apply(op, as[i / 2], bs[i % 2]);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  out->low = low;
  out->high = high;
  return true;
}

/* The least number of the form 2^n - 1 that is not below one. */
static int64_t filled(int64_t value) {
  uint64_t mask = 0;
  while (mask < (uint64_t)value)
    mask = 2 * mask + 1;
  return (int64_t)mask;
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static void range_of_bits(enum term_operator op, const struct term_node *a,
                          const struct term_node *b, struct term_node *out) {
  if (op == TERM_AND && (a->low >= 0 || b->low >= 0)) {
    out->low = 0;
    out->high = a->low < 0 ? b->high : b->low < 0 ? a->high : smaller(a->high, b->high);
  } else if (op != TERM_AND && a->low >= 0 && b->low >= 0) {
    out->low = 0;
    out->high = filled(larger(a->high, b->high));
  }
}

static void range_of_remainder(const struct term_node *a, const struct term_node *b,
                               struct term_node *out) {
  if (b->low <= 0) return;
  out->low = a->low < 0 ? larger(a->low, 1 - b->high) : 0;
  out->high = a->high > 0 ? smaller(a->high, b->high - 1) : 0;
}

void term_range(enum term_operator op, const struct term_node *a, const struct term_node *b,
                struct term_node *out) {
  out->low = everything.low;
  out->high = everything.high;
  switch (op) {
  case TERM_ADD:
  case TERM_SUBTRACT:
  case TERM_MULTIPLY:
    corners(op, a, b, out);
    break;
  case TERM_DIVIDE:
    if (b->low > 0 || b->high < 0) corners(op, a, b, out);
    break;
  case TERM_SHIFT_LEFT:
  case TERM_SHIFT_RIGHT:
    if (b->low >= 0 && b->high <= 63) corners(op, a, b, out);
    break;
  case TERM_REMAINDER:
    range_of_remainder(a, b, out);
    break;
  case TERM_AND:
  case TERM_OR:
  case TERM_XOR:
    range_of_bits(op, a, b, out);
    break;
  default:
    out->low = 0;
    out->high = 1;
  }
}

/* ---- folding ---- */

static bool is_truth(const struct term_node *n) {
  return n->low >= 0 && n->high <= 1;
}

bool term_commutes(enum term_operator op) {
  switch (op) {
  case TERM_ADD:
  case TERM_MULTIPLY:
  case TERM_AND:
  case TERM_OR:
  case TERM_XOR:
  case TERM_EQUAL:
  case TERM_ADD_OVERFLOWS:
  case TERM_MULTIPLY_OVERFLOWS:
    return true;
  default:
    return false;
  }
}

/* What follows from the values that the arguments can have. */
static bool fold_ranges(enum term_operator op, const struct term_node *a, const struct term_node *b,
                        int64_t *value) {
  struct term_node range;
  switch (op) {
  case TERM_EQUAL:
    *value = 0;
    return a->high < b->low || b->high < a->low;
  case TERM_LESS:
    *value = a->high < b->low;
    return *value != 0 || a->low >= b->high;
  case TERM_AT_MOST:
    *value = a->high <= b->low;
    return *value != 0 || a->low > b->high;
  case TERM_ADD_OVERFLOWS:
  case TERM_SUBTRACT_OVERFLOWS:
  case TERM_MULTIPLY_OVERFLOWS:
    *value = 0;
    return corners(op == TERM_ADD_OVERFLOWS        ? TERM_ADD
                   : op == TERM_SUBTRACT_OVERFLOWS ? TERM_SUBTRACT
                                                   : TERM_MULTIPLY,
                   a, b, &range);
  default:
    return false;
  }
}

/* Both arguments are the same term; whether the result is a constant. */
static bool fold_same(enum term_operator op, int64_t *value) {
  *value = op == TERM_EQUAL || op == TERM_AT_MOST;
  return op == TERM_SUBTRACT || op == TERM_XOR || op == TERM_EQUAL || op == TERM_LESS ||
         op == TERM_AT_MOST;
}

/* Whether a number and a constant overflow, as a comparison; TERM_NONE: nothing follows. */
static term fold_overflow(struct terms *t, enum term_operator op, term a, int64_t b) {
  int64_t least = INT64_MIN, most = INT64_MAX; /* what a must not exceed */
  if (op == TERM_SUBTRACT_OVERFLOWS && b != INT64_MIN) {
    op = TERM_ADD_OVERFLOWS;
    b = -b;
  }
  if (op == TERM_ADD_OVERFLOWS && b > 0) {
    most = INT64_MAX - b;
  } else if (op == TERM_ADD_OVERFLOWS) {
    least = INT64_MIN - b;
  } else if (op == TERM_MULTIPLY_OVERFLOWS && b > 0) {
    least = INT64_MIN / b;
    most = INT64_MAX / b;
  } else if (op == TERM_MULTIPLY_OVERFLOWS && b < -1) {
    most = least / b;
    least = INT64_MAX / b;
  } else {
    return TERM_NONE;
  }
  return terms_binary(t, TERM_OR, terms_binary(t, TERM_LESS, a, terms_constant(t, least)),
                      terms_binary(t, TERM_LESS, terms_constant(t, most), a));
}

/* The second argument is a constant; TERM_NONE: nothing follows. */
static term fold_constant(struct terms *t, enum term_operator op, term a, int64_t b) {
  switch (op) {
  case TERM_ADD:
  case TERM_SUBTRACT:
  case TERM_XOR:
  case TERM_SHIFT_LEFT:
  case TERM_SHIFT_RIGHT:
    return b == 0 ? a : TERM_NONE;
  case TERM_OR:
    if (b == 1 && is_truth(&t->nodes[a])) return terms_constant(t, 1);
    return b == 0 ? a : b == -1 ? terms_constant(t, -1) : TERM_NONE;
  case TERM_AND:
    if (b == 1 && is_truth(&t->nodes[a])) return a;
    return b == 0 ? terms_constant(t, 0) : b == -1 ? a : TERM_NONE;
  case TERM_MULTIPLY:
    return b == 0 ? terms_constant(t, 0) : b == 1 ? a : TERM_NONE;
  case TERM_DIVIDE:
    return b == 1 ? a : TERM_NONE;
  case TERM_ADD_OVERFLOWS:
  case TERM_SUBTRACT_OVERFLOWS:
  case TERM_MULTIPLY_OVERFLOWS:
    return fold_overflow(t, op, a, b);
  default:
    return TERM_NONE;
  }
}

/* a == b for a constant b; TERM_NONE: nothing follows. */
static term fold_equal(struct terms *t, term a, int64_t b) {
  const struct term_node n = t->nodes[a];
  int64_t yes, no;
  if (is_truth(&n) && b == 1) return a;
  if (n.op == TERM_ITE && terms_is_constant(t, n.argument[1], &yes) &&
      terms_is_constant(t, n.argument[2], &no) && yes != no && (b == yes || b == no))
    return b == yes ? terms_truth(t, n.argument[0]) : terms_not(t, n.argument[0]);
  if (b != 0) return TERM_NONE;
  if (n.op == TERM_LESS) return terms_binary(t, TERM_AT_MOST, n.argument[1], n.argument[0]);
  if (n.op == TERM_AT_MOST) return terms_binary(t, TERM_LESS, n.argument[1], n.argument[0]);
  bool negates = n.op == TERM_EQUAL && terms_is_constant(t, n.argument[1], &no) && no == 0;
  return negates && is_truth(&t->nodes[n.argument[0]]) ? n.argument[0] : TERM_NONE;
}

/* TERM_NONE: nothing follows. */
static term fold(struct terms *t, enum term_operator op, term a, term b) {
  const struct term_node *x = &t->nodes[a], *y = &t->nodes[b];
  int64_t value;
  if (x->op == TERM_CONSTANT && y->op == TERM_CONSTANT)
    return terms_constant(t, term_apply(op, x->value, y->value));
  if (fold_ranges(op, x, y, &value) || (a == b && fold_same(op, &value)))
    return terms_constant(t, value);
  if (a == b && (op == TERM_AND || op == TERM_OR)) return a;
  if (y->op != TERM_CONSTANT) return TERM_NONE;
  return op == TERM_EQUAL ? fold_equal(t, a, y->value) : fold_constant(t, op, a, y->value);
}

term terms_binary(struct terms *t, enum term_operator op, term a, term b) {
  if (a == TERM_NONE || b == TERM_NONE) return TERM_NONE;
  const bool first_constant = t->nodes[a].op == TERM_CONSTANT;
  const bool second_constant = t->nodes[b].op == TERM_CONSTANT;
  if (term_commutes(op) && (first_constant || (!second_constant && a > b))) {
    const term swapped = a;
    a = b;
    b = swapped;
  }
  const term folded = fold(t, op, a, b);
  if (folded != TERM_NONE || t->failed) return folded;
  struct term_node node = {.op = op, .argument = {a, b}};
  term_range(op, &t->nodes[a], &t->nodes[b], &node);
  if (node.low == node.high) return terms_constant(t, node.low);
  return intern(t, &node);
}

/* What a choice by a condition comes to where that is true (1) or false (2): a place that is
 * written again and again, if something holds, does not become a longer and longer term. */
static term chosen(const struct terms *t, term condition, term from, unsigned argument) {
  const struct term_node *n = &t->nodes[from];
  return n->op == TERM_ITE && n->argument[0] == condition ? n->argument[argument] : from;
}

term terms_ite(struct terms *t, term condition, term yes, term no) {
  int64_t a, b;
  condition = terms_truth(t, condition);
  if (condition == TERM_NONE || yes == TERM_NONE || no == TERM_NONE) return TERM_NONE;
  if (terms_is_constant(t, condition, &a)) return a != 0 ? yes : no;
  yes = chosen(t, condition, yes, 1);
  no = chosen(t, condition, no, 2);
  if (yes == no) return yes;
  const bool constant = terms_is_constant(t, yes, &a) && terms_is_constant(t, no, &b);
  if (constant && a == 1 && b == 0) return condition;
  if (constant && a == 0 && b == 1) return terms_not(t, condition);
  const struct term_node node = {.op = TERM_ITE,
                                 .argument = {condition, yes, no},
                                 .low = smaller(t->nodes[yes].low, t->nodes[no].low),
                                 .high = larger(t->nodes[yes].high, t->nodes[no].high)};
  return intern(t, &node);
}

term terms_not(struct terms *t, term a) {
  return terms_binary(t, TERM_EQUAL, a, terms_constant(t, 0));
}

term terms_truth(struct terms *t, term a) {
  if (a == TERM_NONE || is_truth(&t->nodes[a])) return a;
  return terms_not(t, terms_not(t, a));
}

/* ---- values ---- */

static bool make_scratch(struct terms *t) {
  /* Arguments are older than their terms, so that the stack holds each term once. */
  return room_for((void **)&t->values, &t->value_room, t->count, sizeof *t->values) &&
         room_for((void **)&t->stack, &t->stack_room, t->count, sizeof *t->stack) &&
         marks_clear(&t->valued, t->count);
}

/* Only the arm of a choice that is taken is needed; this says what else is, or 0. */
static term missing(const struct terms *t, const struct term_node *n) {
  for (unsigned i = 0; i < arguments_of[n->op]; i++) {
    if (n->op == TERM_ITE && i > 0 && (t->values[n->argument[0]] != 0) != (i == 1)) continue;
    if (!marks_has(&t->valued, n->argument[i])) return n->argument[i];
  }
  return TERM_NONE;
}

static int64_t value_of(const struct terms *t, const struct term_node *n, const int64_t *inputs) {
  switch (n->op) {
  case TERM_CONSTANT:
    return n->value;
  case TERM_INPUT:
    return inputs[n->value];
  case TERM_ITE:
    return t->values[n->argument[t->values[n->argument[0]] != 0 ? 1 : 2]];
  default:
    return term_apply(n->op, t->values[n->argument[0]], t->values[n->argument[1]]);
  }
}

bool terms_evaluate(struct terms *t, term a, const int64_t *inputs, int64_t *value) {
  if (!make_scratch(t)) return false;
  uint32_t depth = 0;
  for (t->stack[depth++] = a; depth > 0;) {
    const term top = t->stack[depth - 1];
    const term needed = missing(t, &t->nodes[top]);
    if (needed != TERM_NONE) {
      t->stack[depth++] = needed;
      continue;
    }
    t->values[top] = value_of(t, &t->nodes[top], inputs);
    marks_put(&t->valued, top);
    depth--;
  }
  *value = t->values[a];
  return true;
}

/* ---- text ---- */

struct term_text {
  const struct terms *terms;
  const char *(*name)(void *user, uint32_t input);
  void *user;
  char *buffer;
  size_t size, length;
};

static void put(struct term_text *x, const char *text) {
  const size_t left = x->size - x->length, length = strlen(text);
  snprintf(x->buffer + x->length, left, "%s", text);
  x->length += length < left ? length : left - 1;
}

/* Each level writes something before it goes deeper, so that the buffer bounds the recursion. */
static void write_term(struct term_text *x, term a) {
  static const char *const signs[TERM_OPERATORS] = {[TERM_ADD] = " + ",
                                                    [TERM_SUBTRACT] = " - ",
                                                    [TERM_MULTIPLY] = " * ",
                                                    [TERM_DIVIDE] = " / ",
                                                    [TERM_REMAINDER] = " % ",
                                                    [TERM_AND] = " & ",
                                                    [TERM_OR] = " | ",
                                                    [TERM_XOR] = " ^ ",
                                                    [TERM_SHIFT_LEFT] = " << ",
                                                    [TERM_SHIFT_RIGHT] = " >> ",
                                                    [TERM_EQUAL] = " == ",
                                                    [TERM_LESS] = " < ",
                                                    [TERM_AT_MOST] = " <= ",
                                                    [TERM_ADD_OVERFLOWS] = " + ",
                                                    [TERM_SUBTRACT_OVERFLOWS] = " - ",
                                                    [TERM_MULTIPLY_OVERFLOWS] = " * "};
  const struct term_node *n = terms_node(x->terms, a);
  char number[32];
  if (x->length + 1 >= x->size) return;
  if (n->op == TERM_CONSTANT) {
    snprintf(number, sizeof number, "%" PRId64, n->value);
    put(x, number);
    return;
  }
  if (n->op == TERM_INPUT) {
    put(x, x->name(x->user, (uint32_t)n->value));
    return;
  }
  bool overflow = n->op >= TERM_ADD_OVERFLOWS && n->op <= TERM_MULTIPLY_OVERFLOWS;
  put(x, overflow ? "overflow(" : "(");
  write_term(x, n->argument[0]);
  put(x, n->op == TERM_ITE ? " ? " : signs[n->op]);
  write_term(x, n->argument[1]);
  if (n->op == TERM_ITE) {
    put(x, " : ");
    write_term(x, n->argument[2]);
  }
  put(x, ")");
}

void terms_text(const struct terms *t, term a, const char *(*name)(void *user, uint32_t input),
                void *user, char *buffer, size_t size) {
  static const char dots[] = "…";
  struct term_text x = {t, name, user, buffer, size, 0};
  write_term(&x, a);
  if (x.length + 1 >= size && size > sizeof dots)
    memcpy(buffer + size - sizeof dots, dots, sizeof dots);
}
