/*
 * The interpreter of programs with inputs. It evaluates a statement as a whole, with terms, and
 * enters what can be wrong in it on the way, under the condition that the place is evaluated at all
 * (the left sides of && and ||). At the end of a statement it first asks whether its errors are
 * possible, then what it does next. What follows from the history of the thread is done; else the
 * thread stands at a branch. After a branch for errors or for the value of an index the statement
 * is evaluated again from its beginning: with the same result, as only silent code of this thread
 * can change what it reads. The word CHECKED or RESOLVED says what is known then.
 */
#include "symbolic.h"

#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "symbolic_frame.h"

const char *error_text(enum error error) {
  static const char *const texts[] = {
#define ERROR_TEXT(name, text) text,
      ERROR_TABLE(ERROR_TEXT)
#undef ERROR_TEXT
  };
  return texts[error];
}

void symbolic_make(struct symbolic *s, struct terms *terms, struct branches *branches) {
  memset(s, 0, sizeof *s);
  s->terms = terms;
  s->branches = branches;
  s->max_branches = s->max_values = UINT64_MAX;
}

void symbolic_free(struct symbolic *s) {
  branches_free(&s->accesses);
  free(s->errors.items);
  free(s->outcomes.items);
}

bool apart_note(struct apart *apart, uint64_t place) {
  if (index_find(&apart->places, place, 0) != UINT32_MAX) return true;
  return index_put(&apart->places, place, 0, apart->count++);
}

bool apart_decide(struct apart *apart) {
  const bool any = apart->decided < apart->count;
  apart->decided = apart->count;
  return any;
}

static bool frame_outcome(struct frame *f, struct outcomes *list, struct outcome outcome) {
  const bool good = outcomes_append(list, outcome);
  f->s->refused |= !good;
  return good;
}

/* ---- values ---- */

struct value frame_get(const struct frame *f, size_t word) {
  return (struct value){f->state[word], (term)f->state[f->m->plain + word]};
}

void frame_put(const struct frame *f, size_t word, struct value value) {
  f->state[word] = value.number;
  f->state[f->m->plain + word] = value.term;
}

term frame_term(struct frame *f, struct value value) {
  return value.term != TERM_NONE ? value.term : terms_constant(f->s->terms, value.number);
}

struct value frame_value(const struct frame *f, term a) {
  struct value value = {0, a};
  if (terms_is_constant(f->s->terms, a, &value.number)) value.term = TERM_NONE;
  if (value.term != TERM_NONE) value.number = 0;
  return value;
}

/* The condition under which what is evaluated now is evaluated. */
static term guard_of(struct frame *f) {
  return f->guard_count > 0 ? f->guards[f->guard_count - 1].condition
                            : terms_constant(f->s->terms, 1);
}

bool frame_wrong(struct frame *f, term wrong, enum error error) {
  int64_t value;
  if (f->words[f->extra + CHECKED] != 0) return true;
  wrong = terms_binary(f->s->terms, TERM_AND, terms_truth(f->s->terms, wrong), guard_of(f));
  if (wrong == TERM_NONE) return false;
  if (terms_is_constant(f->s->terms, wrong, &value) && value == 0) return true;
  return frame_outcome(f, &f->s->errors,
                       (struct outcome){wrong, 0, (uint32_t)f->words[POSITION], error});
}

/* ---- where a thread stops ---- */

bool frame_stop(struct frame *f, enum stop why) {
  f->words[STOPPED] = why;
  return false;
}

bool frame_fail(struct frame *f, uint32_t position, enum error error) {
  f->words[POSITION] = position;
  f->words[OPERAND] = error;
  return frame_stop(f, STOP_ERROR);
}

/* The thread stands at the branch with the outcomes that are listed. */
static bool stand(struct frame *f, enum phase phase, uint32_t position) {
  struct symbolic *s = f->s;
  int64_t *more = f->words + f->extra;
  if ((uint64_t)more[BRANCHES] >= s->max_branches) {
    s->over_branches = true;
    return frame_stop(f, STOP_BOUND);
  }
  const uint32_t branch =
      branches_intern(s->branches, s->outcomes.items, (uint32_t)s->outcomes.count);
  s->refused |= branch == UINT32_MAX || !s->stands(s->user, branch);
  more[BRANCHES]++;
  more[BRANCH] = branch;
  f->words[PHASE] = phase;
  f->words[POSITION] = position;
  return false;
}

/* The only outcome that is possible after what the thread did, or OUTCOMES_OPEN. */
static int64_t find_only(struct frame *f) {
  if (f->s->keep_implied) return OUTCOMES_OPEN;
  if (f->s->by_terms) return f->s->outcomes.count == 1 ? 0 : OUTCOMES_OPEN;
  const int64_t only = outcomes_only(f->s->terms, &f->s->outcomes, f->s->possible, f->s->user);
  f->s->refused |= only == OUTCOMES_REFUSED;
  return only;
}

static bool list_test(struct frame *f, struct value value) {
  struct symbolic *s = f->s;
  const term yes = terms_truth(s->terms, value.term), no = terms_not(s->terms, yes);
  s->outcomes.count = 0;
  return no != TERM_NONE &&
         frame_outcome(f, &s->outcomes, (struct outcome){no, 0, 0, ERROR_OVERFLOW}) &&
         frame_outcome(f, &s->outcomes, (struct outcome){yes, 1, 0, ERROR_OVERFLOW});
}

bool frame_test(struct frame *f, struct value value, enum phase phase, bool *truth) {
  *truth = value.number != 0;
  if (value.term == TERM_NONE && !(f->s->keep_implied && phase == PHASE_TEST)) return true;
  value.term = frame_term(f, value);
  if (!list_test(f, value)) return false;
  const int64_t only = find_only(f);
  if (f->s->refused) return false;
  if (only == OUTCOMES_OPEN) return stand(f, phase, (uint32_t)f->words[POSITION]);
  *truth = only == 1;
  return true;
}

/* Lists, as outcomes, that nothing is wrong, and each error where it is the first one. */
static bool list_errors(struct frame *f) {
  struct symbolic *s = f->s;
  struct terms *t = s->terms;
  const struct outcome *errors = s->errors.items;
  int64_t value;
  term clear = terms_constant(t, 1);
  s->outcomes.count = 0;
  if (!frame_outcome(f, &s->outcomes, (struct outcome){clear, 0, 0, ERROR_OVERFLOW})) return false;
  for (size_t i = 0; i < s->errors.count; i++) {
    struct outcome first = errors[i];
    first.fact = terms_binary(t, TERM_AND, clear, errors[i].fact);
    clear = terms_binary(t, TERM_AND, clear, terms_not(t, errors[i].fact));
    if (first.fact == TERM_NONE || clear == TERM_NONE) return false;
    if (terms_is_constant(t, first.fact, &value) && value == 0) continue;
    if (!frame_outcome(f, &s->outcomes, first)) return false;
  }
  s->outcomes.items[0].fact = clear;
  return true;
}

bool frame_check(struct frame *f) {
  struct symbolic *s = f->s;
  if (s->errors.count == 0) return true;
  if (!list_errors(f)) return false;
  s->errors.count = 0;
  const int64_t only = find_only(f);
  if (s->refused) return false;
  if (only == OUTCOMES_OPEN) return stand(f, PHASE_ERRORS, f->start);
  if (only == 0) return true;
  const struct outcome *outcome = s->outcomes.items + only;
  return frame_fail(f, outcome->position, outcome->error);
}

/* All values in the range that are not listed, where the solver does not know which are possible.
 */
static bool list_rest(struct frame *f, term a, int64_t low, int64_t high) {
  struct terms *t = f->s->terms;
  const size_t known = f->s->outcomes.count;
  for (int64_t value = low; value <= high; value++) {
    size_t i = 0;
    while (i < known && f->s->outcomes.items[i].value != value)
      i++;
    if (i < known) continue;
    const term is = terms_binary(t, TERM_EQUAL, a, terms_constant(t, value));
    if (!frame_outcome(f, &f->s->outcomes, (struct outcome){is, value, 0, ERROR_OVERFLOW}))
      return false;
  }
  return true;
}

static int compare_outcomes(const void *a, const void *b) {
  const struct outcome *x = a, *y = b;
  return (x->value > y->value) - (x->value < y->value);
}

/* Lists the values that a term can have in a range, after what the thread did. False: there are too
 * many, or no memory. */
static bool list_values(struct frame *f, term a, int64_t low, int64_t high) {
  struct symbolic *s = f->s;
  const struct term_node node = *terms_node(s->terms, a);
  if (low < node.low) low = node.low;
  if (high > node.high) high = node.high;
  s->outcomes.count = 0;
  const bool few = high < low || (uint64_t)high - (uint64_t)low < s->max_values;
  enum outcomes_found found = few ? OUTCOMES_MAYBE_MORE : OUTCOMES_MORE;
  if (!s->by_terms)
    found =
        outcomes_values(s->terms, &s->outcomes, a, low, high, s->max_values, s->possible, s->user);
  s->refused |= found == OUTCOMES_NO_MEMORY;
  if (s->refused || found == OUTCOMES_ALL) return !s->refused;
  if (found == OUTCOMES_MORE || !few) {
    s->over_values = true;
    return frame_stop(f, STOP_BOUND);
  }
  if (!list_rest(f, a, low, high)) return false;
  if (s->outcomes.count > 1)
    qsort(s->outcomes.items, s->outcomes.count, sizeof(struct outcome), compare_outcomes);
  return true;
}

bool frame_resolve(struct frame *f, struct value value, unsigned slot, struct range_of_values range,
                   int64_t *number) {
  int64_t *more = f->words + f->extra;
  *number = value.number;
  if (value.term == TERM_NONE) return true;
  *number = more[FIRST_VALUE + slot];
  if ((more[RESOLVED] >> slot & 1) != 0) return true;
  if (!list_values(f, value.term, range.low, range.high)) return false;
  const struct outcome *outcomes = f->s->outcomes.items;
  if (f->s->outcomes.count == 0) return frame_stop(f, STOP_BOUND); /* an impossible history */
  *number = outcomes[0].value;
  if (f->s->outcomes.count == 1 && !f->s->keep_implied) return true;
  f->words[OPERAND] = slot;
  return stand(f, PHASE_VALUE, f->start);
}

/* Lists, as outcomes, the elements to which an access is made, and at the end that none is. */
static bool list_accesses(struct frame *f, const struct elements *e) {
  struct terms *t = f->s->terms;
  const term guard = e->guard != TERM_NONE ? e->guard : terms_constant(t, 1);
  term made = terms_constant(t, 0);
  f->s->outcomes.count = 0;
  if (e->index != TERM_NONE) {
    if (!list_values(f, e->index, e->low, e->high)) return false;
  } else if (!frame_outcome(f, &f->s->outcomes,
                            (struct outcome){terms_constant(t, 1), e->low, 0, ERROR_OVERFLOW})) {
    return false;
  }
  for (size_t i = 0; i < f->s->outcomes.count; i++) {
    struct outcome *o = &f->s->outcomes.items[i];
    o->fact = terms_binary(t, TERM_AND, guard, o->fact);
    made = terms_binary(t, TERM_OR, made, o->fact);
  }
  const term none = terms_not(t, made);
  return none != TERM_NONE &&
         frame_outcome(f, &f->s->outcomes, (struct outcome){none, NO_ACCESS, 0, ERROR_OVERFLOW});
}

bool frame_decide_access(struct frame *f, struct place place, struct elements *e) {
  const struct apart *apart = f->s->apart;
  const uint64_t key = (uint64_t)place.line << 32 | place.column;
  int64_t *more = f->words + f->extra;
  if (apart == NULL || (e->index == TERM_NONE && e->guard == TERM_NONE) ||
      index_find(&apart->places, key, 0) >= apart->decided || f->accesses == VALUE_COUNT)
    return true;
  const unsigned slot = f->accesses++;
  if ((more[RESOLVED] >> slot & 1) == 0) {
    if (!list_accesses(f, e)) return false;
    const int64_t only = find_only(f);
    if (f->s->refused) return false;
    if (only == OUTCOMES_OPEN) {
      f->words[OPERAND] = slot;
      return stand(f, PHASE_VALUE, f->start);
    }
    more[RESOLVED] |= (int64_t)1 << slot;
    more[FIRST_VALUE + slot] = f->s->outcomes.items[only].value;
  }
  const int64_t element = more[FIRST_VALUE + slot];
  e->index = e->guard = TERM_NONE;
  if (element == NO_ACCESS)
    e->high = e->low - 1;
  else
    e->low = e->high = element;
  return true;
}

/* ---- what a branch changes ---- */

static void perform_test(const struct instruction *in, int64_t *words, int64_t outcome) {
  if (outcome != 0)
    words[POSITION]++;
  else if (in->opcode == DO_JUMP_IF_ZERO)
    words[POSITION] = in->target;
  else
    words[STOPPED] = in->opcode == DO_ASSUME ? STOP_ASSUME : STOP_ASSERT;
}

void symbolic_perform(const struct machine *m, int64_t *state, uint32_t thread, int64_t outcome) {
  int64_t *words = state + m->base[thread];
  int64_t *more = words + REGISTERS + m->program->bodies[m->body[thread]].registers;
  const struct outcome *o =
      branches_outcomes(m->symbolic->branches, (uint32_t)more[BRANCH]) + outcome;
  switch ((enum phase)words[PHASE]) {
  case PHASE_TEST:
    perform_test(&m->program->code[words[POSITION]], words, outcome);
    more[CHECKED] = more[RESOLVED] = more[RESUMES] = 0;
    break;
  case PHASE_COMPARED:
    more[RESULT] = outcome;
    state[m->plain + (size_t)(&more[RESULT] - state)] = TERM_NONE;
    break;
  case PHASE_ERRORS:
    more[CHECKED] = 1;
    if (outcome == 0) break;
    words[POSITION] = o->position;
    words[OPERAND] = o->error;
    words[STOPPED] = STOP_ERROR;
    break;
  default: /* PHASE_VALUE */
    if (words[OPERAND] < FIRST_ACCESS) more[CHECKED] = 1;
    more[RESOLVED] |= (int64_t)1 << words[OPERAND];
    more[FIRST_VALUE + words[OPERAND]] = o->value;
  }
  words[PHASE] = PHASE_BEFORE;
}

/* The value of an atomic after an operation. */
static term written(struct terms *t, enum opcode opcode, term old, term value, term desired) {
  switch (opcode) {
  case DO_STORE:
  case DO_EXCHANGE:
    return value;
  case DO_FETCH_ADD:
    return terms_binary(t, TERM_ADD, old, value);
  case DO_FETCH_AND:
    return terms_binary(t, TERM_AND, old, value);
  case DO_FETCH_OR:
    return terms_binary(t, TERM_OR, old, value);
  case DO_FETCH_XOR:
    return terms_binary(t, TERM_XOR, old, value);
  case DO_FETCH_NAND:
    return terms_binary(t, TERM_XOR, terms_binary(t, TERM_AND, old, value), terms_constant(t, -1));
  case DO_CAS:
    return terms_ite(t, terms_binary(t, TERM_EQUAL, old, value), desired, old);
  default:
    return old; /* load */
  }
}

int64_t symbolic_access(const struct machine *m, int64_t *state, uint32_t thread,
                        const struct intent *in) {
  struct terms *t = m->symbolic->terms;
  struct frame f = {.m = m, .s = m->symbolic, .state = state};
  const size_t base = m->base[thread];
  const size_t at = m->first[SYMBOL_ATOMIC] + m->atomics[in->element].first / sizeof *state;
  const term old = frame_term(&f, frame_get(&f, at));
  const term value = frame_term(&f, frame_get(&f, base + SECOND_OPERAND));
  const term desired = frame_term(&f, frame_get(&f, base + THIRD_OPERAND));
  const term result = in->opcode == DO_CAS ? terms_binary(t, TERM_EQUAL, old, value) : old;
  machine_enter(m, state, at, 1);
  frame_put(&f, at, frame_value(&f, written(t, in->opcode, old, value, desired)));
  frame_put(&f, base + OPERAND, frame_value(&f, result));
  return state[base + OPERAND];
}
