#include "quick.h"

#include <stdlib.h>
#include <string.h>

/* More would cost as much as the solver does. */
enum { TERMS_MAX = 4000, ROUNDS = 12, TRIES = 24, WORK_MAX = 4000, CORE_MAX = 64 };
enum { EVALUATED = 64 }; /* so many terms are as much work as a change */
enum { CORE_WORK = 20000 };

void quick_free(struct quick *q) {
  free(q->ranges);
  term_list_free(&q->terms);
  memset(q, 0, sizeof *q);
}

/* ---- ranges ---- */

struct narrowing {
  struct quick *q;
  const struct terms *t;
  bool changed, empty;
};

static struct quick_range range_of(const struct narrowing *n, term a) {
  return n->q->ranges[a];
}

/* The values of a term lie in these bounds, too. */
static void bound(struct narrowing *n, term a, int64_t low, int64_t high) {
  struct quick_range *r = &n->q->ranges[a];
  if (low > r->low) {
    r->low = low;
    n->changed = true;
  }
  if (high < r->high) {
    r->high = high;
    n->changed = true;
  }
  n->empty |= r->low > r->high;
}

/* The values that follow from those of the arguments. */
static void look_up(struct narrowing *n, term a) {
  const struct term_node *node = terms_node(n->t, a);
  struct term_node arguments[3], out;
  if (node->op == TERM_CONSTANT || node->op == TERM_INPUT) return;
  for (unsigned i = 0; i < 3; i++) {
    const term x = node->argument[i];
    arguments[i].low = x != TERM_NONE ? range_of(n, x).low : 0;
    arguments[i].high = x != TERM_NONE ? range_of(n, x).high : 0;
  }
  if (node->op != TERM_ITE) {
    term_range(node->op, &arguments[0], &arguments[1], &out);
    bound(n, a, out.low, out.high);
    return;
  }
  const struct term_node *yes = &arguments[arguments[0].high == 0 ? 2 : 1];
  const struct term_node *no = &arguments[arguments[0].low == 1 ? 1 : 2];
  bound(n, a, yes->low < no->low ? yes->low : no->low, yes->high > no->high ? yes->high : no->high);
}

static int64_t before(int64_t number) {
  return number > INT64_MIN ? number - 1 : number;
}

static int64_t behind(int64_t number) {
  return number < INT64_MAX ? number + 1 : number;
}

/* a < b, or a <= b. */
static void order(struct narrowing *n, term a, term b, bool strict) {
  const struct quick_range x = range_of(n, a), y = range_of(n, b);
  if (strict && (y.high == INT64_MIN || x.low == INT64_MAX)) {
    n->empty = true;
    return;
  }
  bound(n, a, INT64_MIN, strict ? before(y.high) : y.high);
  bound(n, b, strict ? behind(x.low) : x.low, INT64_MAX);
}

/* a is not this number. */
static void differ(struct narrowing *n, term a, int64_t number) {
  const struct quick_range r = range_of(n, a);
  if (r.low == number && r.high == number)
    n->empty = true;
  else if (r.low == number)
    bound(n, a, behind(number), INT64_MAX);
  else if (r.high == number)
    bound(n, a, INT64_MIN, before(number));
}

/* a + b, or a - b, has these values, and does not overflow. */
static void sum(struct narrowing *n, const struct term_node *node, struct quick_range r) {
  const term a = node->argument[0], b = node->argument[1];
  const struct quick_range x = range_of(n, a), y = range_of(n, b);
  const bool adds = node->op == TERM_ADD;
  int64_t low, high;
  const bool over = adds ? __builtin_add_overflow(x.low, y.low, &low) ||
                               __builtin_add_overflow(x.high, y.high, &high)
                         : __builtin_sub_overflow(x.low, y.high, &low) ||
                               __builtin_sub_overflow(x.high, y.low, &high);
  if (over) return;
  const bool below = adds ? __builtin_sub_overflow(r.low, y.high, &low)
                          : __builtin_add_overflow(r.low, y.low, &low);
  const bool above = adds ? __builtin_sub_overflow(r.high, y.low, &high)
                          : __builtin_add_overflow(r.high, y.high, &high);
  bound(n, a, below ? INT64_MIN : low, above ? INT64_MAX : high);
  const bool less = __builtin_sub_overflow(adds ? r.low : x.low, adds ? x.high : r.high, &low);
  const bool more = __builtin_sub_overflow(adds ? r.high : x.high, adds ? x.low : r.low, &high);
  bound(n, b, less ? INT64_MIN : low, more ? INT64_MAX : high);
}

/* A truth value of two is this, or one of those. */
static void connect(struct narrowing *n, const struct term_node *node, bool all, int64_t value) {
  const struct quick_range x = range_of(n, node->argument[0]), y = range_of(n, node->argument[1]);
  if (x.low < 0 || x.high > 1 || y.low < 0 || y.high > 1) return;
  if (all || (y.low == y.high && y.low != value)) bound(n, node->argument[0], value, value);
  if (all || (x.low == x.high && x.low != value)) bound(n, node->argument[1], value, value);
}

/* Of a comparison that is known to be true or false. */
static void compare(struct narrowing *n, const struct term_node *node, bool holds) {
  const term a = node->argument[0], b = node->argument[1];
  const struct quick_range x = range_of(n, a), y = range_of(n, b);
  if (node->op == TERM_LESS && holds) order(n, a, b, true);
  if (node->op == TERM_LESS && !holds) order(n, b, a, false);
  if (node->op == TERM_AT_MOST && holds) order(n, a, b, false);
  if (node->op == TERM_AT_MOST && !holds) order(n, b, a, true);
  if (node->op == TERM_EQUAL && holds) {
    bound(n, a, y.low, y.high);
    bound(n, b, x.low, x.high);
  } else if (node->op == TERM_EQUAL) {
    if (y.low == y.high) differ(n, a, y.low);
    if (x.low == x.high) differ(n, b, x.low);
  }
}

/* What follows for the arguments. */
static void look_down(struct narrowing *n, term a) {
  const struct term_node *node = terms_node(n->t, a);
  const struct quick_range r = range_of(n, a);
  const bool known = r.low == r.high;
  switch (node->op) {
  case TERM_ADD:
  case TERM_SUBTRACT:
    sum(n, node, r);
    return;
  case TERM_EQUAL:
  case TERM_LESS:
  case TERM_AT_MOST:
    if (known) compare(n, node, r.low != 0);
    return;
  case TERM_AND:
    if (known && (r.low == 0 || r.low == 1)) connect(n, node, r.low == 1, r.low);
    return;
  case TERM_OR:
    if (known && (r.low == 0 || r.low == 1)) connect(n, node, r.low == 0, r.low);
    return;
  case TERM_ITE: {
    const struct quick_range c = range_of(n, node->argument[0]);
    const struct quick_range x = range_of(n, node->argument[1]);
    const struct quick_range y = range_of(n, node->argument[2]);
    if (x.low > r.high || x.high < r.low) bound(n, node->argument[0], 0, 0);
    if (y.low > r.high || y.high < r.low) bound(n, node->argument[0], 1, 1);
    if (c.low == c.high) bound(n, node->argument[c.low != 0 ? 1 : 2], r.low, r.high);
    return;
  }
  default:
    return;
  }
}

/* Whether the facts exclude each other, as far as ranges show that. */
static bool contradict(struct quick *q, const struct terms *t, const term *facts, uint32_t count) {
  struct narrowing n = {q, t, true, false};
  for (uint32_t i = 0; i < q->terms.count; i++)
    q->ranges[q->terms.list[i]] = (struct quick_range){terms_node(t, q->terms.list[i])->low,
                                                       terms_node(t, q->terms.list[i])->high};
  for (uint32_t i = 0; i < count; i++) {
    const struct term_node *fact = terms_node(t, facts[i]);
    if (fact->low >= 0 && fact->high <= 1)
      bound(&n, facts[i], 1, 1);
    else
      differ(&n, facts[i], 0);
  }
  for (unsigned round = 0; round < ROUNDS && n.changed && !n.empty; round++) {
    n.changed = false;
    for (uint32_t i = q->terms.count; i-- > 0 && !n.empty;)
      look_down(&n, q->terms.list[i]);
    for (uint32_t i = 0; i < q->terms.count && !n.empty; i++)
      look_up(&n, q->terms.list[i]);
  }
  return n.empty;
}

/* Leaves facts out as long as the others still exclude each other. */
static uint32_t find_core(struct quick *q, const struct terms *t, const term *facts, uint32_t count,
                          uint32_t *core) {
  term left[CORE_MAX];
  uint32_t kept = count;
  for (uint32_t i = 0; i < count; i++) {
    left[i] = facts[i];
    core[i] = i;
  }
  for (uint32_t i = kept; i-- > 0;) {
    const term fact = left[i];
    memmove(left + i, left + i + 1, (kept - i - 1) * sizeof *left);
    if (contradict(q, t, left, kept - 1)) {
      memmove(core + i, core + i + 1, (kept - i - 1) * sizeof *core);
      kept--;
    } else {
      memmove(left + i + 1, left + i, (kept - i - 1) * sizeof *left);
      left[i] = fact;
    }
  }
  return kept;
}

/* ---- values ---- */

struct quick_search {
  struct quick *q;
  struct terms *t;
  int64_t *values;
  uint32_t work;
  uint64_t turn; /* which of several ways is tried first */
  bool failed;
};

static int64_t value_of(struct quick_search *s, term a) {
  int64_t value = 0;
  s->work += s->q->terms.count / EVALUATED;
  s->failed |= !terms_evaluate(s->t, a, s->values, &value);
  return value;
}

static bool force(struct quick_search *s, term a, int64_t wanted);

/* Draws whether to begin with the second of two ways. */
static bool draw(struct quick_search *s) {
  s->turn = s->turn * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return s->turn >> 63 != 0;
}

static bool either(struct quick_search *s, term a, int64_t wanted, term b, int64_t other) {
  return draw(s) ? force(s, b, other) || force(s, a, wanted)
                 : force(s, a, wanted) || force(s, b, other);
}

/* x * factor == wanted, for numbers without an end. */
static bool divides(int64_t wanted, int64_t factor, int64_t *x) {
  if (factor == 0 || (factor == -1 && wanted == INT64_MIN) || wanted % factor != 0) return false;
  *x = wanted / factor;
  return true;
}

static int64_t add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* The bits of a mask are these; the others stay as they are, or are those of another value. */
static bool force_bits(struct quick_search *s, term a, int64_t mask, int64_t bits) {
  return force(s, a, (value_of(s, a) & ~mask) | bits) || force(s, a, bits) ||
         force(s, a, ~mask | bits);
}

static bool force_connective(struct quick_search *s, const struct term_node *n, int64_t wanted) {
  const term a = n->argument[0], b = n->argument[1];
  int64_t number;
  const bool all = wanted == (n->op == TERM_AND);
  if (wanted == 0 || wanted == 1) {
    const struct term_node *x = terms_node(s->t, a), *y = terms_node(s->t, b);
    if (x->low >= 0 && x->high <= 1 && y->low >= 0 && y->high <= 1)
      return all ? force(s, a, wanted) && force(s, b, wanted) : either(s, a, wanted, b, wanted);
  }
  if (!terms_is_constant(s->t, b, &number)) return false;
  if (n->op == TERM_AND) return (wanted & ~number) == 0 && force_bits(s, a, number, wanted);
  return (wanted & number) == number && force_bits(s, a, ~number, wanted & ~number);
}

static bool force_comparison(struct quick_search *s, const struct term_node *n, bool holds) {
  term a = n->argument[0], b = n->argument[1];
  if (n->op == TERM_EQUAL) {
    if (holds) return either(s, a, value_of(s, b), b, value_of(s, a));
    return either(s, a, add(value_of(s, b), 1), b, add(value_of(s, a), 1)) ||
           either(s, a, subtract(value_of(s, b), 1), b, subtract(value_of(s, a), 1));
  }
  const bool strict = (n->op == TERM_LESS) == holds;
  if (!holds) { /* the other way round */
    const term other = a;
    a = b;
    b = other;
  }
  const int64_t apart = strict ? 1 : 0;
  if (value_of(s, b) >= subtract(INT64_MIN, -apart) &&
      either(s, a, subtract(value_of(s, b), apart), b, add(value_of(s, a), apart)))
    return true;
  return either(s, a, terms_node(s->t, a)->low, b, terms_node(s->t, b)->high);
}

/* a * b is this, by a. */
static bool force_factor(struct quick_search *s, term a, term b, int64_t wanted) {
  int64_t x;
  return divides(wanted, value_of(s, b), &x) && force(s, a, x);
}

/* a / b is this, by a, or else by b. */
static bool force_quotient(struct quick_search *s, term a, term b, int64_t wanted) {
  const int64_t divisor = value_of(s, b), number = value_of(s, a);
  int64_t product;
  if (divisor != 0 && !__builtin_mul_overflow(wanted, divisor, &product) && force(s, a, product))
    return true;
  return wanted != 0 && (wanted != -1 || number != INT64_MIN) && force(s, b, number / wanted);
}

static bool force_remainder(struct quick_search *s, term a, int64_t divisor, int64_t wanted) {
  return divisor != 0 && divisor != -1 &&
         (force(s, a, add(subtract(value_of(s, a), value_of(s, a) % divisor), wanted)) ||
          force(s, a, wanted));
}

/* By what is shifted, as far as it is known. */
static bool force_shift(struct quick_search *s, const struct term_node *n, int64_t by,
                        int64_t wanted) {
  const term a = n->argument[0];
  const bool left = n->op == TERM_SHIFT_LEFT;
  const int64_t x = term_apply(left ? TERM_SHIFT_RIGHT : TERM_SHIFT_LEFT, wanted, by);
  if (by < 0 || by >= 64 || term_apply(n->op, x, by) != wanted) return false;
  return force(s, a, x) || (left && by > 0 && force(s, a, x & (INT64_MAX >> (by - 1))));
}

static bool force_arithmetic(struct quick_search *s, const struct term_node *n, int64_t wanted) {
  const term a = n->argument[0], b = n->argument[1];
  switch (n->op) {
  case TERM_ADD:
    return either(s, a, subtract(wanted, value_of(s, b)), b, subtract(wanted, value_of(s, a)));
  case TERM_SUBTRACT:
    return either(s, a, add(wanted, value_of(s, b)), b, subtract(value_of(s, a), wanted));
  case TERM_XOR:
    return either(s, a, wanted ^ value_of(s, b), b, wanted ^ value_of(s, a));
  case TERM_MULTIPLY:
    return force_factor(s, a, b, wanted) || force_factor(s, b, a, wanted);
  case TERM_DIVIDE:
    return force_quotient(s, a, b, wanted);
  case TERM_REMAINDER:
    return force_remainder(s, a, value_of(s, b), wanted);
  case TERM_SHIFT_LEFT:
  case TERM_SHIFT_RIGHT:
    return force_shift(s, n, value_of(s, b), wanted);
  default:
    return false;
  }
}

static bool force_choice(struct quick_search *s, const struct term_node *n, int64_t wanted) {
  const bool now = value_of(s, n->argument[0]) != 0;
  for (unsigned i = 0; i < 2; i++) {
    const bool yes = (i == 0) == now;
    if (force(s, n->argument[yes ? 1 : 2], wanted) && force(s, n->argument[0], yes)) return true;
  }
  return false;
}

/* Changes inputs so that a term has a value, or fails, and may have changed some then. */
static bool force(struct quick_search *s, term a, int64_t wanted) {
  const struct term_node node = *terms_node(s->t, a), *n = &node;
  const struct quick_range r = s->q->ranges[a];
  if (wanted < r.low || wanted > r.high || ++s->work > WORK_MAX || s->failed) return false;
  switch (n->op) {
  case TERM_CONSTANT:
    return n->value == wanted;
  case TERM_INPUT:
    s->values[n->value] = wanted;
    return true;
  case TERM_EQUAL:
  case TERM_LESS:
  case TERM_AT_MOST:
    return value_of(s, a) == wanted || force_comparison(s, n, wanted != 0);
  case TERM_AND:
  case TERM_OR:
    return value_of(s, a) == wanted || force_connective(s, n, wanted);
  case TERM_ITE:
    return value_of(s, a) == wanted || force_choice(s, n, wanted);
  default:
    return value_of(s, a) == wanted || force_arithmetic(s, n, wanted);
  }
}

/* Inputs lie in what is left for them. */
static void clamp(struct quick_search *s) {
  for (uint32_t i = 0; i < s->q->terms.count; i++) {
    const struct term_node *n = terms_node(s->t, s->q->terms.list[i]);
    const struct quick_range r = s->q->ranges[s->q->terms.list[i]];
    if (n->op != TERM_INPUT) continue;
    if (s->values[n->value] < r.low) s->values[n->value] = r.low;
    if (s->values[n->value] > r.high) s->values[n->value] = r.high;
  }
}

/* Makes the first fact true that is not, until all are. */
static bool find_values(struct quick_search *s, const term *facts, uint32_t count) {
  clamp(s);
  for (unsigned tries = 0; tries < TRIES && s->work < WORK_MAX && !s->failed; tries++) {
    const uint32_t begin = tries < TRIES / 2 ? 0 : tries % count;
    uint32_t i = 0;
    while (i < count && value_of(s, facts[(begin + i) % count]) != 0)
      i++;
    if (i == count) return !s->failed;
    force(s, facts[(begin + i) % count], 1);
  }
  return false;
}

/* False: they are made of too many terms, or no memory. */
static bool list_terms(struct quick *q, const struct terms *t, const term *facts, uint32_t count) {
  return room_for((void **)&q->ranges, &q->range_room, t->count, sizeof *q->ranges) &&
         term_list_make(&q->terms, t, facts, count, TERMS_MAX, NULL, NULL) &&
         q->terms.count <= TERMS_MAX;
}

enum solver_answer quick_ask(struct quick *q, struct terms *t, const term *facts, uint32_t count,
                             int64_t *values, uint32_t *core, uint32_t *core_count) {
  struct quick_search s = {.q = q, .t = t, .values = values};
  if (!list_terms(q, t, facts, count)) return SOLVER_UNKNOWN;
  if (contradict(q, t, facts, count)) {
    const bool small = count <= CORE_MAX && (uint64_t)count * q->terms.count <= CORE_WORK;
    if (core != NULL) *core_count = small ? find_core(q, t, facts, count, core) : 0;
    return SOLVER_NO;
  }
  return count == 0 || find_values(&s, facts, count) ? SOLVER_YES : SOLVER_UNKNOWN;
}
