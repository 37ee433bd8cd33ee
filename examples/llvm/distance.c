#include "distance.h"

#include <stdlib.h>
#include <string.h>

#include "branches.h"
#include "code.h"
#include "coverage.h"
#include "index.h"
#include "knowledge.h"
#include "machine.h"

/* Instructions to go; FAR: there is no way. */
#define FAR UINT32_MAX

/* Where a thread stands: an instruction, and where its function returns to. */
struct stand {
  uint32_t instruction;
  uint32_t first;  /* of the function */
  uint32_t caller; /* a stand that was made before, and 1 more, or 0 */
  uint32_t ahead;  /* to code that is not covered */
};

/* What is known of a leaf. */
struct ranked {
  uint32_t ahead;
  uint64_t version; /* 0: nothing */
};

struct distance {
  const struct code *code;
  const builtin *builtins;
  struct coverage *coverage;
  const unf_explorer *explorer;
  unf_unfolding *unfolding;
  const struct knowledge *knowledge;
  bool *library;    /* by instruction: it is of unfold-sym's library */
  bool *taken;      /* by function: its address is a value somewhere */
  uint32_t *back;   /* by instruction: to the end of its function */
  uint32_t *ahead;  /* by instruction: to code that is not covered, without leaving the function */
  uint64_t version; /* of the coverage from which `ahead` was computed; 0: none */
  struct stand *stands;
  uint32_t stand_count, stand_room;
  struct index by_place; /* stands */
  uint32_t *after;       /* by event: where its thread stands then, and 1 more; 0: not known */
  size_t after_room;
  uint32_t *first; /* by thread: before its first event */
  size_t first_room;
  struct ranked *leaves; /* by number */
  size_t leaf_room;
};

static uint32_t longer(uint32_t a, uint32_t b) {
  return a == FAR || b == FAR || a + (uint64_t)b >= FAR ? FAR : a + b;
}

static void shorten(uint32_t *least, uint32_t a) {
  if (a < *least) *least = a;
}

/* ---- the program ---- */

static const struct function *function_of(const struct distance *d, uint32_t word) {
  if ((word & CODE_CONSTANT) == 0) return NULL;
  const struct constant *c = &d->code->constants[word & ~CODE_CONSTANT];
  if (c->kind != CONSTANT_FUNCTION) return NULL;
  const struct function *f = &d->code->functions[c->index];
  return f->defined && d->builtins[c->index] == NULL && f->count > 0 ? f : NULL;
}

/* The least of a function, by its first instruction, over all whose address is taken. */
static uint32_t least_taken(const struct distance *d, const uint32_t *by_instruction) {
  uint32_t least = FAR;
  for (uint32_t f = 0; f < d->code->function_count; f++)
    if (d->taken[f]) shorten(&least, by_instruction[d->code->functions[f].first]);
  return least;
}

/* What a call leads to by entering a function: that which is called, or one that is given to it, as
 * what a thread begins with. */
static uint32_t enters(const struct distance *d, const struct instruction *i,
                       const uint32_t *by_instruction, uint32_t taken) {
  const uint32_t *values = code_values(d->code, i);
  uint32_t least = (values[0] & CODE_CONSTANT) == 0 ? taken : FAR;
  for (uint32_t n = 0; n < i->values; n++) {
    const struct function *f = function_of(d, values[n]);
    if (f != NULL) shorten(&least, by_instruction[f->first]);
  }
  return longer(least, 1);
}

/* How long a call takes. */
static uint32_t passes(const struct distance *d, const struct instruction *i) {
  const struct function *f = function_of(d, code_values(d->code, i)[0]);
  return f != NULL ? longer(d->back[f->first], 1) : 1;
}

/* From an instruction of a function to its end. */
static uint32_t find_back(const struct distance *d, const struct function *f, uint32_t at) {
  const struct instruction *i = &d->code->instructions[at];
  const uint32_t *numbers = code_numbers(d->code, i);
  uint32_t least = FAR;
  switch (i->kind) {
  case CODE_RETURN:
    return 0;
  case CODE_UNREACHABLE:
  case CODE_REFUSED:
    return FAR;
  case CODE_JUMP:
  case CODE_TEST:
  case CODE_SWITCH:
    for (uint32_t n = 0; n < i->numbers; n++)
      shorten(&least, d->back[f->first + numbers[n]]);
    return longer(least, 1);
  case CODE_CALL:
    return longer(passes(d, i), at + 1 < f->first + f->count ? d->back[at + 1] : FAR);
  default:
    return longer(1, at + 1 < f->first + f->count ? d->back[at + 1] : FAR);
  }
}

/* From an outcome of a test or switch on. */
static uint32_t ahead_by(const struct distance *d, uint32_t at, uint32_t first, uint32_t way) {
  const struct instruction *i = &d->code->instructions[at];
  if (d->coverage->taken[i->first + i->values + way] == 0 && !d->library[at]) return 0;
  return d->ahead[first + code_numbers(d->code, i)[way]];
}

static uint32_t find_ahead(const struct distance *d, const struct function *f, uint32_t at,
                           uint32_t taken) {
  const struct instruction *i = &d->code->instructions[at];
  uint32_t least = FAR;
  if (i->kind == CODE_UNREACHABLE || i->kind == CODE_REFUSED) return FAR; /* nothing to come to */
  if (d->coverage->performed[at] == 0 && !d->library[at]) return 0;
  switch (i->kind) {
  case CODE_RETURN:
    return FAR;
  case CODE_JUMP:
    return longer(d->ahead[f->first + code_numbers(d->code, i)[0]], 1);
  case CODE_TEST:
  case CODE_SWITCH:
    for (uint32_t n = 0; n < i->numbers; n++)
      shorten(&least, ahead_by(d, at, f->first, n));
    return longer(least, 1);
  case CODE_CALL:
    least = enters(d, i, d->ahead, taken);
    if (at + 1 < f->first + f->count) shorten(&least, longer(passes(d, i), d->ahead[at + 1]));
    return least;
  default:
    return longer(1, at + 1 < f->first + f->count ? d->ahead[at + 1] : FAR);
  }
}

/* Shortest ways, from none at all, until nothing becomes shorter: backwards, so that what follows
 * is known but for loops and calls. */
static void find_all(struct distance *d, bool back) {
  uint32_t *found = back ? d->back : d->ahead;
  bool changed = true;
  for (size_t i = 0; i < d->code->instruction_count; i++)
    found[i] = FAR;
  while (changed) {
    const uint32_t taken = back ? FAR : least_taken(d, d->ahead);
    changed = false;
    for (uint32_t n = 0; n < d->code->function_count; n++) {
      const struct function *f = &d->code->functions[n];
      for (uint32_t at = f->defined ? f->first + f->count : f->first; at-- > f->first;) {
        const uint32_t now = back ? find_back(d, f, at) : find_ahead(d, f, at, taken);
        changed |= now != found[at];
        found[at] = now;
      }
    }
  }
}

static void note_functions(struct distance *d) {
  for (uint32_t n = 0; n < d->code->function_count; n++) {
    const struct function *f = &d->code->functions[n];
    for (uint32_t at = f->first; f->defined && at < f->first + f->count; at++) {
      const struct instruction *i = &d->code->instructions[at];
      d->library[at] = f->library;
      for (uint32_t v = i->kind == CODE_CALL; v < i->values; v++) {
        const struct function *g = function_of(d, code_values(d->code, i)[v]);
        if (g != NULL) d->taken[g - d->code->functions] = true;
      }
    }
  }
  for (size_t n = 0; n < d->code->piece_count; n++) {
    const struct piece *p = &d->code->pieces[n];
    const struct function *g =
        p->bytes == NULL ? function_of(d, p->constant | CODE_CONSTANT) : NULL;
    if (g != NULL) d->taken[g - d->code->functions] = true;
  }
}

struct distance *distance_new(const struct code *code, const builtin *builtins,
                              struct coverage *coverage) {
  struct distance *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  d->code = code;
  d->builtins = builtins;
  d->coverage = coverage;
  d->library = calloc(code->instruction_count + 1, sizeof *d->library);
  d->taken = calloc(code->function_count + (size_t)1, sizeof *d->taken);
  d->back = calloc(code->instruction_count + 1, sizeof *d->back);
  d->ahead = calloc(code->instruction_count + 1, sizeof *d->ahead);
  if (d->library != NULL && d->taken != NULL && d->back != NULL && d->ahead != NULL) {
    note_functions(d);
    find_all(d, true);
    return d;
  }
  distance_free(d);
  return NULL;
}

void distance_free(struct distance *d) {
  if (d == NULL) return;
  free(d->library);
  free(d->taken);
  free(d->back);
  free(d->ahead);
  free(d->stands);
  index_free(&d->by_place);
  free(d->after);
  free(d->first);
  free(d->leaves);
  free(d);
}

/* ---- where threads stand ---- */

void distance_begin(struct distance *d, const unf_explorer *explorer, unf_unfolding *unfolding,
                    const struct knowledge *knowledge) {
  d->explorer = explorer;
  d->unfolding = unfolding;
  d->knowledge = knowledge;
  if (d->after_room > 0) memset(d->after, 0, d->after_room * sizeof *d->after);
  if (d->first_room > 0) memset(d->first, 0, d->first_room * sizeof *d->first);
  if (d->leaf_room > 0) memset(d->leaves, 0, d->leaf_room * sizeof *d->leaves);
}

/* Makes a list as long as a number asks for, with 0 in what is new. False: no memory. */
static bool reach(void *list, size_t *room, uint64_t number, size_t size) {
  char **items = list;
  if (number < *room) return true;
  const size_t more = 2 * (size_t)number + 64;
  char *larger = realloc(*items, more * size);
  if (larger == NULL) return false;
  memset(larger + *room * size, 0, (more - *room) * size);
  *items = larger;
  *room = more;
  return true;
}

/* From an instruction on, or out of its function. */
static uint32_t from(const struct distance *d, uint32_t ahead, uint32_t back, uint32_t caller) {
  if (caller > 0) shorten(&ahead, longer(longer(back, 1), d->stands[caller - 1].ahead));
  return ahead;
}

static void measure(struct distance *d, struct stand *s) {
  s->ahead = from(d, d->ahead[s->instruction], d->back[s->instruction], s->caller);
}

/* UINT32_MAX: no memory. */
static uint32_t find_stand(struct distance *d, uint32_t instruction, uint32_t first,
                           uint32_t caller) {
  const uint32_t known = index_find(&d->by_place, instruction, caller);
  if (known != UINT32_MAX) return known;
  if (d->stand_count == d->stand_room) {
    const uint32_t room = 2 * d->stand_room + 64;
    struct stand *stands = realloc(d->stands, room * sizeof *stands);
    if (stands == NULL) return UINT32_MAX;
    d->stands = stands;
    d->stand_room = room;
  }
  if (!index_put(&d->by_place, instruction, caller, d->stand_count)) return UINT32_MAX;
  d->stands[d->stand_count] = (struct stand){instruction, first, caller, FAR};
  measure(d, &d->stands[d->stand_count]);
  return d->stand_count++;
}

bool distance_stands(struct distance *d, const struct thread *t, unf_event event) {
  uint32_t stand = 0;
  for (size_t i = 0; i < t->frame_count; i++) {
    const struct frame *frame = &t->frames[i];
    const uint32_t found = find_stand(d, frame->instruction, frame->function->first, stand);
    if (found == UINT32_MAX) return false;
    stand = found + 1;
  }
  if (event == UNF_EVENT_BOTTOM) {
    if (!reach(&d->first, &d->first_room, t->handle, sizeof *d->first)) return false;
    d->first[t->handle] = stand;
    return true;
  }
  if (!reach(&d->after, &d->after_room, event, sizeof *d->after)) return false;
  d->after[event] = stand;
  return true;
}

/* A test whether something is wrong has the outcomes 0 and 1; the others of an access are objects
 * and addresses, and 0 for none of them. */
static bool is_error(const struct instruction *i, const struct outcome *all, unf_literal literal) {
  const int64_t value = all[literal.outcome].value;
  if (i->kind == CODE_CALL) return false;
  if (literal.outcomes == 2 && all[0].value == 0 && all[1].value == 1) return value == 1;
  return value == 0 && (i->kind == CODE_LOAD || i->kind == CODE_LOAD_PART || i->kind == CODE_STORE);
}

/* From an outcome of a branch on, of a thread that stands there. One that is an error leads
 * nowhere. */
static uint32_t ahead_of_outcome(const struct distance *d, const struct stand *s,
                                 unf_literal literal) {
  const struct instruction *i = &d->code->instructions[s->instruction];
  const struct outcome *all = branches_outcomes(&d->knowledge->branches, (uint32_t)literal.term);
  const int64_t outcome = all[literal.outcome].value;
  if (i->kind == CODE_TEST || i->kind == CODE_SWITCH) {
    const uint64_t way = i->kind == CODE_SWITCH ? (uint64_t)outcome : outcome != 1;
    if (way >= i->numbers) return FAR;
    const uint32_t target = s->first + code_numbers(d->code, i)[way];
    return longer(
        from(d, ahead_by(d, s->instruction, s->first, (uint32_t)way), d->back[target], s->caller),
        1);
  }
  return is_error(i, all, literal) ? FAR : s->ahead;
}

/* The last event of a thread before an event of it. */
struct before {
  unf_unfolding *unfolding;
  unf_event event, found;
  unf_thread thread;
};

static bool look_before(void *user, unf_event event) {
  struct before *b = user;
  unf_action action;
  if (event != b->event && event != UNF_EVENT_BOTTOM &&
      unf_event_action(b->unfolding, event, &action) == UNF_OK && action.thread == b->thread)
    b->found = event;
  return true;
}

/* Where a thread stood before an event, and 1 more; 0: not known, or nowhere. */
static uint32_t stand_before(const struct distance *d, unf_event event, unf_thread thread) {
  struct before b = {d->unfolding, event, UNF_EVENT_BOTTOM, thread};
  unf_status status = unf_event_predecessors(d->unfolding, event, look_before, &b);
  if (status == UNF_OK && b.found == UNF_EVENT_BOTTOM)
    status = unf_event_history(d->unfolding, event, look_before, &b);
  if (status != UNF_OK) return 0;
  if (b.found == UNF_EVENT_BOTTOM) return thread < d->first_room ? d->first[thread] : 0;
  return b.found < d->after_room ? d->after[b.found] : 0;
}

/* ---- leaves ---- */

struct measuring {
  const struct distance *distance;
  uint32_t ahead;
};

/* An event that was performed says where its thread was then; else it is where it stood before. */
static bool measure_step(void *user, unf_event event) {
  struct measuring *m = user;
  const struct distance *d = m->distance;
  unf_action action;
  if (event < d->after_room && d->after[event] > 0) {
    shorten(&m->ahead, d->stands[d->after[event] - 1].ahead);
    return true;
  }
  if (unf_event_action(d->unfolding, event, &action) != UNF_OK) return true;
  const uint32_t before = stand_before(d, event, action.thread);
  if (before == 0) return true;
  const struct stand *s = &d->stands[before - 1];
  unf_literal literal;
  if (unf_event_literal(d->unfolding, event, &literal) != UNF_OK) {
    shorten(&m->ahead, s->ahead);
    return true;
  }
  shorten(&m->ahead, ahead_of_outcome(d, s, literal));
  return true;
}

static uint32_t measure_leaf(struct distance *d, const unf_leaf *leaf, uint64_t index) {
  struct measuring m = {d, FAR};
  const bool kept = reach(&d->leaves, &d->leaf_room, leaf->number, sizeof *d->leaves);
  if (kept && d->leaves[leaf->number].version == d->version) return d->leaves[leaf->number].ahead;
  unf_explorer_leaf_steps(d->explorer, index, measure_step, &m);
  if (kept) d->leaves[leaf->number] = (struct ranked){m.ahead, d->version};
  return m.ahead;
}

static void look_at_coverage(struct distance *d) {
  if (d->version == d->coverage->covered + 1) return;
  d->version = d->coverage->covered + 1;
  find_all(d, false);
  for (uint32_t i = 0; i < d->stand_count; i++) /* callers come first */
    measure(d, &d->stands[i]);
}

uint64_t distance_choose(void *user, const unf_leaf *leaves, uint64_t count) {
  struct distance *d = user;
  uint64_t best = 0;
  uint32_t least = FAR;
  look_at_coverage(d);
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t ahead = measure_leaf(d, &leaves[i], i);
    if (i > 0 && (ahead > least ||
                  (ahead == least && !coverage_promises(d->coverage, &leaves[i], &leaves[best]))))
      continue;
    best = i;
    least = ahead;
  }
  coverage_chosen(d->coverage, &leaves[best]);
  return best;
}
