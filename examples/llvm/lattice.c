#include "lattice.h"

#include <stdlib.h>

#include "room.h"

/* What has an end lies so close to 0. */
#define SPAN_LARGE (UINT64_C(1) << 61)

static uint64_t common(uint64_t x, uint64_t y) {
  while (y != 0) {
    const uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

static const struct lattice everything = {0, 1, SPAN_ALL};

/* Multiples that wrap around are those of the largest power of two. */
static struct lattice lattice_from(uint64_t base, uint64_t stride, uint64_t span) {
  const bool ends = span < SPAN_LARGE && base + SPAN_LARGE < 2 * SPAN_LARGE;
  return (struct lattice){base, ends ? stride : stride & -stride, ends ? span : SPAN_ALL};
}

static struct lattice sum_of(struct lattice x, struct lattice y) {
  const bool ends = x.span != SPAN_ALL && y.span != SPAN_ALL;
  return lattice_from(x.base + y.base, common(x.stride, y.stride),
                      ends ? x.span + y.span : SPAN_ALL);
}

static struct lattice difference_of(struct lattice x, struct lattice y) {
  const bool ends = x.span != SPAN_ALL && y.span != SPAN_ALL;
  return lattice_from(x.base - y.base - (ends ? y.span : 0), common(x.stride, y.stride),
                      ends ? x.span + y.span : SPAN_ALL);
}

static struct lattice one_of(struct lattice x, struct lattice y) {
  const bool first = (int64_t)(y.base - x.base) >= 0; /* bases may be below 0 */
  const struct lattice low = first ? x : y, high = first ? y : x;
  const uint64_t apart = high.base - low.base;
  const bool ends = low.span != SPAN_ALL && high.span != SPAN_ALL;
  const uint64_t span = apart + high.span > low.span ? apart + high.span : low.span;
  return lattice_from(low.base, common(common(x.stride, y.stride), apart), ends ? span : SPAN_ALL);
}

/* A term times a number. */
static struct lattice times(struct lattice x, int64_t factor) {
  if (factor == -1) return difference_of((struct lattice){0, 0, 0}, x);
  if (factor <= 0 || factor >= 1 << 20) return everything;
  const uint64_t by = (uint64_t)factor;
  if (x.span >= SPAN_SMALL || x.base + SPAN_SMALL >= 2 * SPAN_SMALL)
    return lattice_from(0, by, SPAN_ALL);
  return (struct lattice){x.base * by, x.stride * by, x.span * by};
}

/* A number of fewer bits with its sign: shifted up, and back. Where it had room it is the same. */
static struct lattice extended(const struct lattice *known, const struct terms *terms, term a,
                               int64_t bits) {
  const struct term_node *n = terms_node(terms, a);
  int64_t up;
  if (n->op != TERM_SHIFT_LEFT || !terms_is_constant(terms, n->argument[1], &up) || up != bits ||
      bits < 0 || bits > 56)
    return everything;
  const struct lattice x = known[n->argument[0]];
  const int64_t most = INT64_C(1) << (63 - bits), base = (int64_t)x.base;
  const bool fits = x.span < SPAN_SMALL && base >= -most && base < most - (int64_t)x.span;
  return fits ? x : everything;
}

/* What operators show of the values of a term, where the lattices of those before it are known. */
static struct lattice lattice_by_operator(const struct lattice *known, const struct terms *terms,
                                          term a) {
  const struct term_node *n = terms_node(terms, a);
  int64_t number = 0;
  const bool binary = n->op == TERM_MULTIPLY || n->op == TERM_SHIFT_LEFT ||
                      n->op == TERM_SHIFT_RIGHT || n->op == TERM_AND;
  const bool constant = binary && terms_is_constant(terms, n->argument[1], &number);
  switch (n->op) {
  case TERM_CONSTANT:
    return lattice_from((uint64_t)n->value, 0, 0);
  case TERM_ADD:
    return sum_of(known[n->argument[0]], known[n->argument[1]]);
  case TERM_SUBTRACT:
    return difference_of(known[n->argument[0]], known[n->argument[1]]);
  case TERM_EQUAL:
  case TERM_LESS:
  case TERM_AT_MOST:
    return (struct lattice){0, 1, 1};
  case TERM_ITE:
    return one_of(known[n->argument[1]], known[n->argument[2]]);
  case TERM_MULTIPLY:
    return constant ? times(known[n->argument[0]], number) : everything;
  case TERM_SHIFT_LEFT:
    return constant && number >= 0 && number < 20
               ? times(known[n->argument[0]], INT64_C(1) << number)
               : everything;
  case TERM_SHIFT_RIGHT:
    return constant ? extended(known, terms, n->argument[0], number) : everything;
  case TERM_AND:
    return constant && number >= 0 ? lattice_from(0, 1, (uint64_t)number) : everything;
  default:
    return everything;
  }
}

/* Where operators show no end, the range of a term may. */
static struct lattice find_lattice(const struct lattice *known, const struct terms *terms, term a) {
  const struct term_node *n = terms_node(terms, a);
  const struct lattice l = lattice_by_operator(known, terms, a);
  const uint64_t low = (uint64_t)n->low, span = (uint64_t)n->high - low;
  if (l.span < SPAN_SMALL || span >= SPAN_SMALL) return l;
  const uint64_t stride = (l.stride & (l.stride - 1)) == 0 ? l.stride : 1;
  const uint64_t before = (l.base - low) & (stride - 1);
  return before > span ? l : (struct lattice){low + before, stride, span - before};
}

void lattices_free(struct lattices *l) {
  free(l->list);
  *l = (struct lattices){NULL, 0, 0};
}

bool lattice_of(struct lattices *l, const struct terms *terms, term a, struct lattice *out) {
  if (a >= l->count && !room_for((void **)&l->list, &l->room, (uint64_t)a + 1, sizeof *l->list))
    return false;
  for (; l->count <= a; l->count++)
    l->list[l->count] = find_lattice(l->list, terms, l->count);
  *out = l->list[a];
  return true;
}

static struct lattice in_range(struct lattice l, const struct term_node *n) {
  const int64_t base = (int64_t)l.base;
  if (l.span == SPAN_ALL || l.stride == 0) return l;
  if (base < n->low) {
    const uint64_t before = (uint64_t)n->low - l.base;
    const uint64_t up = (before + l.stride - 1) / l.stride * l.stride;
    if (up > l.span) return l; /* nothing is left, which is not known to be so */
    l.base += up;
    l.span -= up;
  }
  if ((int64_t)(l.base + l.span) > n->high && (int64_t)l.base <= n->high)
    l.span = (uint64_t)n->high - l.base;
  return l;
}

bool lattice_in_range(struct lattices *l, const struct terms *terms, term a, struct lattice *out) {
  const bool good = lattice_of(l, terms, a, out);
  if (good) *out = in_range(*out, terms_node(terms, a));
  return good;
}
