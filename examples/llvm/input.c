/* Inputs, as a thread asks for them: terms of their own, or the values that were given. */
#include "input.h"

#include "arith.h"
#include "asked.h"
#include "knowledge.h"
#include "machine.h"
#include "terms.h"

static bool keep(struct machine *m, const struct thread *t, term input, const char *name,
                 const char *type) {
  struct asked_input *item = asked_keep(&m->asked, t->handle, input, name);
  if (item != NULL) {
    item->after = t->cause;
    item->place = machine_place(m, t);
    item->type = type;
    return true;
  }
  machine_stop(m, UNF_MEMORY);
  return false;
}

/* An input that is what it is. */
static bool make(struct machine *m, struct thread *t, unsigned width, const char *name,
                 const char *type, struct value *value) {
  const term a = knowledge_input(m->knowledge, t->handle, t->cause, t->asked, width, name);
  if (a == TERM_NONE) {
    machine_stop(m, UNF_MEMORY);
    return false;
  }
  t->asked++;
  if (m->asked_for != NULL) m->asked_for(m->user, t, a);
  *value = value_of(&m->knowledge->terms, a);
  return keep(m, t, a, NULL, type);
}

bool machine_input(struct machine *m, struct thread *t, unsigned width, const char *name,
                   const char *type, struct value *value) {
  int64_t number = 0;
  m->has_inputs = true;
  const enum asked_answer answer =
      asked_look(&m->asked, m->unfolding, t->handle, t->inputs, width, name, &number);
  t->inputs++;
  if (answer == ASKED_ITSELF) return make(m, t, width, name, type, value);
  if (answer == ASKED_TOO_LARGE) {
    machine_refuse(m, t, "the value %lld for the input %s, which has %u bits", (long long)number,
                   name, width);
    return false;
  }
  *value = value_number(number);
  return keep(m, t, terms_constant(&m->knowledge->terms, number), name, type);
}
