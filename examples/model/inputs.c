#include "inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "taint.h"

/* Steps of the solver for a question, and values of an index, unless the command line has them. */
enum { STEPS = 10000000, VALUES = 4096 };
#define SOLVER_MEMORY ((uint64_t)1 << 30)

static uint32_t input_count(const struct inputs *in) {
  return in->session->program.count[SYMBOL_INPUT];
}

/* ---- sets of facts ---- */

static void begin_set(struct inputs *in) {
  in->facts.count = 0;
}

static void add_fact(struct inputs *in, term fact) {
  struct symbolic *s = &in->symbolic;
  int64_t value;
  if (fact != TERM_NONE && terms_is_constant(&s->terms, fact, &value) && value != 0) return;
  if (!symbolic_append(&in->facts, (struct outcome){.fact = fact}) || fact == TERM_NONE)
    s->refused = true;
}

static void add_set(struct inputs *in, uint32_t set) {
  for (uint32_t i = 0; i < in->sets.items[set].count; i++)
    add_fact(in, branches_outcomes(&in->sets, set)[i].fact);
}

/* What the literal of a branch event says. */
static term fact_of(const struct inputs *in, unf_event event) {
  unf_literal literal;
  if (unf_event_literal(in->session->unfolding, event, &literal) != UNF_OK) return TERM_NONE;
  return branches_outcomes(&in->symbolic.branches, (uint32_t)literal.term)[literal.outcome].fact;
}

static bool add_event(void *user, unf_event event) {
  struct inputs *in = user;
  unf_action action;
  if (unf_event_action(in->session->unfolding, event, &action) != UNF_OK)
    in->symbolic.refused = true;
  else if (action.kind == UNF_DID_BRANCH)
    add_fact(in, fact_of(in, event));
  return !in->symbolic.refused;
}

static int compare_facts(const void *a, const void *b) {
  const term x = ((const struct outcome *)a)->fact, y = ((const struct outcome *)b)->fact;
  return (x > y) - (x < y);
}

/* Its number; UINT32_MAX: no memory. */
static uint32_t end_set(struct inputs *in) {
  struct outcome *facts = in->facts.items;
  size_t count = 0;
  if (in->symbolic.refused) return UINT32_MAX;
  if (in->facts.count > 1) qsort(facts, in->facts.count, sizeof *facts, compare_facts);
  for (size_t i = 0; i < in->facts.count; i++)
    if (i == 0 || facts[i].fact != facts[i - 1].fact) facts[count++] = facts[i];
  const uint32_t set = branches_intern(&in->sets, facts, (uint32_t)count);
  if (set != UINT32_MAX && set >= in->known_room) {
    const uint32_t room = 2 * set + 64;
    struct known *known = realloc(in->known, room * sizeof *known);
    if (known != NULL) memset(known + in->known_room, 0, (room - in->known_room) * sizeof *known);
    in->symbolic.refused |= known == NULL;
    if (known == NULL) return UINT32_MAX;
    in->known = known;
    in->known_room = room;
  }
  in->symbolic.refused |= set == UINT32_MAX;
  return set;
}

static bool satisfies(struct inputs *in, uint32_t model, uint32_t set) {
  const int64_t *values = in->models + (size_t)model * input_count(in);
  bool good = true;
  for (uint32_t i = 0; good && i < in->sets.items[set].count; i++) {
    int64_t value;
    good = terms_evaluate(&in->symbolic.terms, branches_outcomes(&in->sets, set)[i].fact, values,
                          &value) &&
           value != 0;
  }
  return good;
}

static bool try_recent(struct inputs *in, uint32_t set, uint32_t *model) {
  for (uint32_t i = 0; i < RECENT_MODELS && i < in->model_count; i++) {
    *model = in->model_count - 1 - i;
    if (satisfies(in, *model, set)) return true;
  }
  return false;
}

/* Keeps a model. The solver does not know inputs that are in no term yet. */
static void complete_model(struct inputs *in, int64_t *values) {
  const struct machine_input *inputs = in->session->machine.inputs;
  for (uint32_t i = 0; i < input_count(in); i++)
    if (values[i] < inputs[i].low || values[i] > inputs[i].high) values[i] = inputs[i].low;
  in->model_count++;
}

/* Asks the solver; a core, if one is wanted, as with solver_ask(). */
static enum solver_answer ask(struct inputs *in, uint32_t set, uint32_t *model, uint32_t *core,
                              uint32_t *core_count) {
  const uint32_t count = in->sets.items[set].count, width = input_count(in);
  if (in->model_count == in->model_room) {
    const uint32_t room = 2 * in->model_room + 16;
    int64_t *models = realloc(in->models, (size_t)room * width * sizeof *models);
    in->symbolic.refused |= models == NULL;
    if (models == NULL) return SOLVER_UNKNOWN;
    in->models = models;
    in->model_room = room;
  }
  term *list = malloc((count + (size_t)1) * sizeof *list);
  in->symbolic.refused |= list == NULL;
  if (list == NULL) return SOLVER_UNKNOWN;
  bool contradicts = false;
  for (uint32_t i = 0; i < count; i++) {
    int64_t value;
    list[i] = branches_outcomes(&in->sets, set)[i].fact;
    contradicts |= terms_is_constant(&in->symbolic.terms, list[i], &value);
  }
  *model = in->model_count;
  int64_t *values = in->models + (size_t)*model * width;
  const enum solver_answer answer = contradicts
                                        ? SOLVER_NO
                                        : solver_ask(&in->solver, &in->symbolic.terms, list, count,
                                                     width, values, core, core_count);
  if (answer == SOLVER_YES) complete_model(in, values);
  in->symbolic.refused |= in->solver.refused;
  free(list);
  return answer;
}

/* Whether the facts of a set can be true together, asked once. */
static const struct known *look_up(struct inputs *in, uint32_t set, uint32_t *core,
                                   uint32_t *core_count) {
  struct known *known = &in->known[set];
  if (known->asked) return known;
  known->asked = true;
  known->answer = SOLVER_YES;
  if (!try_recent(in, set, &known->model))
    known->answer = ask(in, set, &known->model, core, core_count);
  return known;
}

/* ---- questions of the interpreter ---- */

static uint32_t find_history(void *user) {
  struct inputs *in = user;
  if (in->has_history) return in->history;
  begin_set(in);
  if (in->cause != UNF_EVENT_BOTTOM &&
      unf_event_history(in->session->unfolding, in->cause, add_event, in) != UNF_OK)
    in->symbolic.refused = true;
  in->history = end_set(in);
  in->has_history = !in->symbolic.refused;
  return in->history;
}

static enum possible find_possible(void *user, term fact, term wanted, int64_t *value) {
  struct inputs *in = user;
  const uint32_t history = find_history(in);
  if (in->symbolic.refused) return POSSIBLE_REFUSED;
  begin_set(in);
  add_set(in, history);
  add_fact(in, fact);
  const uint32_t set = end_set(in);
  if (set == UINT32_MAX) return POSSIBLE_REFUSED;
  const struct known *known = look_up(in, set, NULL, NULL);
  if (known->answer == SOLVER_UNKNOWN) return POSSIBLE_UNKNOWN;
  if (known->answer == SOLVER_NO) return POSSIBLE_NO;
  const int64_t *values = in->models + (size_t)known->model * input_count(in);
  if (value != NULL && !terms_evaluate(&in->symbolic.terms, wanted, values, value))
    return POSSIBLE_REFUSED;
  return POSSIBLE_YES;
}

/* ---- questions of the library ---- */

/* The events of a core of facts; of several with a fact the first one. */
static uint64_t core_events(struct inputs *in, uint32_t set, const uint32_t *core, uint32_t count,
                            const unf_event *events, uint64_t event_count, unf_event *out) {
  for (uint32_t i = 0; i < count; i++) {
    const term fact = branches_outcomes(&in->sets, set)[core[i]].fact;
    uint64_t j = 0;
    while (j < event_count && fact_of(in, events[j]) != fact)
      j++;
    if (j == event_count) return 0;
    out[i] = events[j];
  }
  return count;
}

static unf_answer find_consistent(void *user, const unf_event *events, uint64_t count,
                                  uint64_t before, unf_event *core, uint64_t *core_count,
                                  uint64_t *witness) {
  struct inputs *in = user;
  uint32_t size = 0;
  (void)before; /* every question is asked anew */
  begin_set(in);
  for (uint64_t i = 0; i < count; i++)
    add_fact(in, fact_of(in, events[i]));
  const uint32_t set = end_set(in);
  uint32_t *facts = set != UINT32_MAX ? malloc((size_t)(count + 1) * sizeof *facts) : NULL;
  in->symbolic.refused |= facts == NULL;
  if (facts == NULL) return UNF_ANSWER_UNKNOWN;
  const struct known *known = look_up(in, set, facts, &size);
  if (known->answer == SOLVER_YES) *witness = (uint64_t)known->model + 1;
  if (known->answer == SOLVER_NO && size > 0)
    *core_count = core_events(in, set, facts, size, events, count, core);
  free(facts);
  return known->answer == SOLVER_YES  ? UNF_ANSWER_YES
         : known->answer == SOLVER_NO ? UNF_ANSWER_NO
                                      : UNF_ANSWER_UNKNOWN;
}

static bool holds(void *user, uint64_t witness, unf_event event) {
  struct inputs *in = user;
  int64_t value = 0;
  const int64_t *values = in->models + (size_t)(witness - 1) * input_count(in);
  const term fact = fact_of(in, event);
  return fact != TERM_NONE && terms_evaluate(&in->symbolic.terms, fact, values, &value) &&
         value != 0;
}

unf_status inputs_attach(struct session *s) {
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  if (!s->inputs.open) return UNF_OK;
  consistency.consistent = find_consistent;
  consistency.holds = holds;
  consistency.user = &s->inputs;
  return unf_unfolding_set_consistency(s->unfolding, &consistency);
}

/* ---- what was found ---- */

static json_t *values_of(const struct inputs *in, const int64_t *values) {
  const struct program *p = &in->session->program;
  json_t *object = json_object();
  for (uint32_t i = 0; i < input_count(in); i++) {
    char name[NAME_SIZE];
    program_name(p, SYMBOL_INPUT, i, name, sizeof name);
    if (json_object_set_new(object, name, json_integer((json_int_t)values[i])) == 0) continue;
    json_decref(object);
    return NULL;
  }
  return object;
}

/* The facts of a run, by the number of the set. */
static uint32_t set_of_run(struct inputs *in, const unf_explorer *x) {
  begin_set(in);
  unf_explorer_path(x, add_event, in);
  return end_set(in);
}

static const char *input_name(void *user, uint32_t input) {
  struct inputs *in = user;
  program_name(&in->session->program, SYMBOL_INPUT, input, in->name, sizeof in->name);
  return in->name;
}

bool inputs_fact(struct session *s, const unf_explorer *x, uint32_t number, char *buffer,
                 size_t size) {
  struct inputs *in = &s->inputs;
  const uint32_t set = in->open ? set_of_run(in, x) : UINT32_MAX;
  if (set == UINT32_MAX || number >= in->sets.items[set].count) return false;
  terms_text(&in->symbolic.terms, branches_outcomes(&in->sets, set)[number].fact, input_name, in,
             buffer, size);
  return true;
}

json_t *inputs_of_run(struct session *s, const unf_explorer *x) {
  struct inputs *in = &s->inputs;
  if (!in->open || x == NULL) return NULL;
  const uint32_t set = set_of_run(in, x);
  if (set == UINT32_MAX) return NULL;
  const struct known *known = look_up(in, set, NULL, NULL);
  if (known->answer != SOLVER_YES) return json_null();
  return values_of(in, in->models + (size_t)known->model * input_count(in));
}

char *inputs_text(const json_t *values) {
  enum { ROOM_OF_NUMBER = 24 };
  const char *name;
  json_t *value, *object = (json_t *)(uintptr_t)values;
  size_t room = 1, length = 0;
  json_object_foreach(object, name, value) room += strlen(name) + ROOM_OF_NUMBER;
  char *text = malloc(room);
  if (text == NULL) return NULL;
  text[0] = '\0';
  json_object_foreach(object, name, value) {
    length += (size_t)snprintf(text + length, room - length, "%s%s=%" JSON_INTEGER_FORMAT,
                               length > 0 ? "," : "", name, json_integer_value(value));
  }
  return text;
}

/* Where an access is, and what it depends on. */
static void add_access(struct inputs *in, unf_access *access) {
  const uint32_t line = (uint32_t)(access->place >> 32);
  if ((line & LINE_OF_ACCESS) == 0) return;
  const struct outcome *o = branches_outcomes(&in->symbolic.accesses, line & ~LINE_OF_ACCESS);
  add_fact(in, o->fact);
  add_set(in, o->position);
  access->place = (uint64_t)o->value;
}

bool inputs_race(struct session *s, unf_race *race) {
  struct inputs *in = &s->inputs;
  if (!in->made) return true;
  begin_set(in);
  add_access(in, &race->first);
  add_access(in, &race->second);
  const uint32_t set = end_set(in);
  return !in->open || set == UINT32_MAX || look_up(in, set, NULL, NULL)->answer != SOLVER_NO;
}

json_t *inputs_statistics(const struct session *s) {
  const struct inputs *in = &s->inputs;
  const struct solver_counts *c = &in->solver.counts;
  unf_consistency_counts asked;
  if (!in->open) return NULL;
  unf_unfolding_consistency_counts(s->unfolding, &asked);
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "queries",
                   (json_int_t)c->queries, "yes", (json_int_t)c->yes, "no", (json_int_t)c->no,
                   "unknown", (json_int_t)c->unknown, "lost", (json_int_t)c->lost, "questions",
                   (json_int_t)asked.questions, "witnessed", (json_int_t)asked.witnessed, "refuted",
                   (json_int_t)asked.refuted, "terms", (json_int_t)in->symbolic.terms.count,
                   "branches", (json_int_t)in->symbolic.branches.count);
}

/* ---- the beginning and the end ---- */

static int refuse(const struct session *s, const char *text) {
  cli_say(stderr, "unfold-model: %s: %s", s->shown, text);
  return CLI_USAGE;
}

static int refuse_memory(const struct session *s) {
  cli_say(stderr, "unfold-model: %s: no memory for the program", s->shown);
  return CLI_STOPPED;
}

static bool fix_one(struct session *s, const char *text, size_t length) {
  const char *sign = memchr(text, '=', length);
  const size_t name = sign != NULL ? (size_t)(sign - text) : 0;
  const struct program *p = &s->program;
  char *end = NULL;
  errno = 0;
  const long long value = sign != NULL ? strtoll(sign + 1, &end, 10) : 0;
  if (sign == NULL || end != text + length || end == sign + 1 || errno != 0) return false;
  for (uint32_t i = 0; i < p->symbol_count; i++) {
    const struct symbol *symbol = &p->symbols[i];
    if (symbol->kind != SYMBOL_INPUT || symbol->length != name ||
        memcmp(symbol->name, text, name) != 0)
      continue;
    struct machine_input *input = &s->machine.inputs[symbol->first];
    if (value < input->low || value > input->high) return false;
    input->low = input->high = value;
    return true;
  }
  return false;
}

bool inputs_fix(struct session *s, const char *text) {
  while (text != NULL && *text != '\0') {
    const size_t length = strcspn(text, ",");
    if (!fix_one(s, text, length)) {
      cli_say(stderr, "unfold-model: --input %s: not an input of %s and a value that it can have",
              text, s->shown);
      return false;
    }
    text += length + (text[length] == ',');
  }
  return true;
}

bool inputs_unknown(const struct session *s) {
  uint32_t i = 0;
  while (i < s->program.count[SYMBOL_INPUT] &&
         s->machine.inputs[i].low == s->machine.inputs[i].high)
    i++;
  return i < s->program.count[SYMBOL_INPUT];
}

/* The solver stands beside this program, unless --solver says where; NULL: no memory. */
static char *find_solver(const struct session *s) {
  static const char name[] = "unfold-solver";
  char own[4096], *path;
  if (s->options.solver != NULL) return strdup(s->options.solver);
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  own[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(own, '/');
  const size_t folder = slash != NULL ? (size_t)(slash - own) + 1 : 0;
  path = malloc(folder + sizeof name);
  if (path == NULL) return NULL;
  memcpy(path, own, folder);
  memcpy(path + folder, name, sizeof name);
  return path;
}

/* The exploration is to end, so that an answer is not waited for. */
static bool stops(void *user) {
  const struct session *s = user;
  const double most = s->options.max_seconds;
  return cli_interrupt_came() || (most > 0 && cli_now() - s->start > most);
}

static int start_solver(struct session *s) {
  struct inputs *in = &s->inputs;
  const struct cli_options *o = &s->options;
  in->solver_program = find_solver(s);
  if (in->solver_program == NULL) return refuse_memory(s);
  in->solver.program = in->solver_program;
  in->solver.steps = o->max_solver_steps != CLI_NUMBER_NONE ? (uint64_t)o->max_solver_steps : STEPS;
  in->solver.memory = SOLVER_MEMORY;
  in->solver.stops = stops;
  in->solver.user = s;
  if (solver_open(&in->solver)) return CLI_CLEAN;
  if (in->solver.refused) return refuse_memory(s);
  cli_say(stderr,
          "unfold-model: %s: its inputs need a solver, and %s does not work (it is built with Z3); "
          "--input NAME=VALUE,… gives all of them a value",
          s->shown, in->solver_program);
  return CLI_USAGE;
}

int inputs_open(struct session *s) {
  struct inputs *in = &s->inputs;
  const struct cli_options *o = &s->options;
  struct problem problem = {.refused = false};
  if (!inputs_unknown(s)) return CLI_CLEAN;
  if (o->cutoffs.order != UNF_CUTOFFS_NONE)
    return refuse(s, "--cutoffs with inputs is not supported");
  if (o->probes != CLI_NUMBER_NONE && o->probes > 0)
    return refuse(s, "--probes with inputs is not supported");
  s->options.probes = 0;
  if (!taint_find(&s->program, s->machine.inputs, s->machine.tainted, &problem)) {
    if (problem.refused) return refuse_memory(s);
    cli_say(stderr, "%s:%u:%u: %s", s->shown, problem.place.line, problem.place.column,
            problem.text);
    return CLI_USAGE;
  }
  in->session = s;
  in->made = true;
  if (!symbolic_make(&in->symbolic) || !machine_set_symbolic(&s->machine, &in->symbolic))
    return refuse_memory(s);
  in->symbolic.max_values = o->max_values > 0 ? o->max_values : VALUES;
  in->symbolic.possible = find_possible;
  in->symbolic.history = find_history;
  in->symbolic.user = in;
  /* A schedule has values of all inputs: there is nothing to ask. */
  if (s->options.replay != NULL) return CLI_CLEAN;
  in->open = true;
  int status = start_solver(s);
  if (status != CLI_CLEAN) return status;
  if (o->max_branches != CLI_NUMBER_NONE) in->symbolic.max_branches = (uint64_t)o->max_branches;
  return CLI_CLEAN;
}

void inputs_close(struct inputs *in) {
  if (!in->made) return;
  symbolic_free(&in->symbolic);
  solver_close(&in->solver);
  free(in->solver_program);
  branches_free(&in->sets);
  free(in->known);
  free(in->models);
  free(in->facts.items);
}

uint64_t inputs_bytes(const struct inputs *in) {
  if (!in->made) return 0;
  return symbolic_bytes(&in->symbolic) + branches_bytes(&in->sets) +
         in->known_room * sizeof *in->known +
         (uint64_t)in->model_room * input_count(in) * sizeof *in->models;
}

void inputs_cause(struct inputs *in, unf_event event) {
  in->cause = event;
  in->has_history = false;
}

bool inputs_refused(const struct inputs *in) {
  return in->made && (in->symbolic.refused || in->symbolic.terms.failed);
}
