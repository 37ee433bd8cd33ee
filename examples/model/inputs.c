#include "inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs/worker.h"
#include "model.h"
#include "settings.h"
#include "taint.h"

/* Steps of the solver for a question, and values of an index, unless the command line has them. */
enum { STEPS = 10000000, VALUES = 4096 };
#define SOLVER_MEMORY ((uint64_t)1 << 30)

/* ---- questions of the interpreter ---- */

/* The exploration is to end, so that an answer is not waited for. */
static bool stops(void *user) {
  const struct session *s = user;
  const double most = s->options.max_seconds;
  if (s->worker != NULL) worker_wait(s->worker);
  return cli_interrupt_came() || (most > 0 && cli_now() - s->start > most);
}

static uint32_t find_history(void *user) {
  struct inputs *in = user;
  if (in->has_history) return in->history;
  in->history = knowledge_history(&in->knowledge, in->cause);
  in->has_history = in->history != UINT32_MAX;
  return in->history;
}

static enum possible find_possible(void *user, term fact, term wanted, int64_t *value) {
  struct inputs *in = user;
  const enum possible answer =
      knowledge_possible(&in->knowledge, find_history(in), fact, wanted, value);
  in->undecided |= answer == POSSIBLE_UNKNOWN && !stops(in->session);
  return answer;
}

/* Processes that explore the same have to name branches alike. */
static bool name_branch(void *user, uint32_t branch) {
  struct inputs *in = user;
  return content_name(&in->knowledge, branch);
}

unf_status inputs_attach(struct session *s) {
  if (!s->inputs.made) return UNF_OK;
  if (s->inputs.open) return knowledge_attach(&s->inputs.knowledge, s->unfolding);
  knowledge_about(&s->inputs.knowledge, s->unfolding);
  return UNF_OK;
}

/* ---- what was found ---- */

json_t *inputs_of_run(struct session *s, const unf_explorer *x) {
  struct inputs *in = &s->inputs;
  if (!in->open || x == NULL) return NULL;
  const uint32_t set = knowledge_run(&in->knowledge, x);
  return set != UINT32_MAX ? content_witness(&in->knowledge, set) : NULL;
}

json_t *inputs_constraint(struct session *s, const unf_explorer *x) {
  struct inputs *in = &s->inputs;
  if (!in->open) return json_array();
  const uint32_t set = knowledge_run(&in->knowledge, x);
  return set != UINT32_MAX ? knowledge_facts(&in->knowledge, set) : NULL;
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

/* What an access depends on, a set, and whether that could be found. The place becomes the one in
 * the text. */
static bool find_access(struct inputs *in, unf_access *access, uint32_t *set) {
  const uint32_t line = (uint32_t)(access->place >> 32);
  if ((line & LINE_OF_ACCESS) == 0) return false;
  const struct outcome *o = branches_outcomes(&in->symbolic.accesses, line & ~LINE_OF_ACCESS);
  access->place = (uint64_t)o->value;
  *set = knowledge_with(&in->knowledge, o->position, o->fact);
  return *set != UINT32_MAX;
}

bool inputs_race(struct session *s, unf_race *race, const unf_explorer *x, json_t **values) {
  struct inputs *in = &s->inputs;
  struct knowledge *k = &in->knowledge;
  uint32_t one, other;
  *values = NULL;
  if (!in->made) return true;
  const bool first = find_access(in, &race->first, &one);
  if (!find_access(in, &race->second, &other) || !first || !in->open || x == NULL) return true;
  const uint32_t run = knowledge_run(k, x);
  if (run == UINT32_MAX) return true;
  const uint32_t all = knowledge_union(k, run, knowledge_union(k, one, other));
  if (knowledge_ask(k, all) == SOLVER_NO) {
    in->symbolic.refused |=
        !apart_note(&in->apart, race->first.place) || !apart_note(&in->apart, race->second.place);
    return false;
  }
  *values = content_witness(k, all);
  return true;
}

json_t *inputs_statistics(const struct session *s) {
  const struct inputs *in = &s->inputs;
  if (!in->open) return NULL;
  json_t *told = in->asked != NULL ? json_incref(in->asked) : knowledge_statistics(&in->knowledge);
  json_object_set_new(told, "inputs", json_integer(in->knowledge.input_count)); /* is no sum */
  json_object_set_new(told, "apart", json_integer(in->apart.decided));
  json_object_set_new(told, "by_terms", json_integer(in->symbolic.by_terms));
  return told;
}

/* ---- with several processes ---- */

void inputs_part(struct inputs *in) {
  if (in->made) solver_leave(&in->knowledge.solver);
}

bool inputs_news(const struct inputs *in) {
  return in->open && (in->again || in->apart.count > in->apart.decided ||
                      (in->undecided && !in->symbolic.by_terms));
}

json_t *inputs_known(struct session *s, bool ends) {
  const struct inputs *in = &s->inputs;
  const bool by_terms = in->by_terms || (in->undecided && !in->symbolic.by_terms);
  json_t *places = json_array();
  if (!in->open) {
    json_decref(places);
    return NULL;
  }
  for (size_t i = 0; i < in->apart.places.room; i++)
    if (in->apart.places.slots[i].number != 0)
      json_array_append_new(places, json_integer((json_int_t)in->apart.places.slots[i].a));
  return json_pack("{s:b, s:b, s:b, s:o, s:o*}", "by_terms", by_terms, "over",
                   in->symbolic.over_values, "branches", in->symbolic.over_branches, "apart",
                   places, "asked", ends ? inputs_statistics(s) : NULL);
}

/* Adds numbers by name. */
static void add_numbers(json_t **sum, const json_t *more) {
  const char *name;
  json_t *number, *list = (json_t *)(uintptr_t)more;
  if (*sum == NULL) *sum = json_object();
  json_object_foreach(list, name, number) {
    const json_int_t before = json_integer_value(json_object_get(*sum, name));
    json_object_set_new(*sum, name, json_integer(before + json_integer_value(number)));
  }
}

void inputs_learn(struct session *s, const json_t *known) {
  struct inputs *in = &s->inputs;
  const json_t *places = json_object_get(known, "apart");
  if (!in->open || known == NULL) return;
  for (size_t i = 0; i < json_array_size(places); i++)
    in->symbolic.refused |=
        !apart_note(&in->apart, (uint64_t)json_integer_value(json_array_get(places, i)));
  in->by_terms |= json_is_true(json_object_get(known, "by_terms"));
  in->symbolic.over_values |= json_is_true(json_object_get(known, "over"));
  in->symbolic.over_branches |= json_is_true(json_object_get(known, "branches"));
  if (json_object_get(known, "asked") != NULL)
    add_numbers(&in->asked, json_object_get(known, "asked"));
}

void inputs_decide(struct inputs *in) {
  apart_decide(&in->apart);
  in->symbolic.by_terms |= in->by_terms;
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

static int start_solver(struct session *s) {
  struct inputs *in = &s->inputs;
  const struct cli_options *o = &s->options;
  in->solver_program = find_solver(s);
  if (in->solver_program == NULL) return refuse_memory(s);
  in->knowledge.solver.program = in->solver_program;
  in->knowledge.solver.steps =
      o->max_solver_steps != CLI_NUMBER_NONE ? (uint64_t)o->max_solver_steps : STEPS;
  in->knowledge.solver.memory = SOLVER_MEMORY;
  if (o->try_values != CLI_NUMBER_NONE)
    knowledge_try_values(&in->knowledge, (uint64_t)o->try_values);
  in->knowledge.solver.stops = stops;
  in->knowledge.solver.user = s;
  if (solver_open(&in->knowledge.solver)) return CLI_CLEAN;
  if (in->knowledge.solver.refused) return refuse_memory(s);
  cli_say(stderr,
          "unfold-model: %s: its inputs need a solver, and %s does not work (it is built with Z3); "
          "--input NAME=VALUE,… gives all of them a value",
          s->shown, in->solver_program);
  return CLI_USAGE;
}

/* Makes what is known of the inputs: their ranges. False: no memory. */
static bool declare_all(struct session *s) {
  struct inputs *in = &s->inputs;
  bool good = knowledge_open(&in->knowledge);
  symbolic_make(&in->symbolic, &in->knowledge.terms, &in->knowledge.branches);
  for (uint32_t i = 0; good && i < s->program.count[SYMBOL_INPUT]; i++) {
    char name[300];
    program_name(&s->program, SYMBOL_INPUT, i, name, sizeof name);
    good = knowledge_declare(&in->knowledge, name, s->machine.inputs[i].low,
                             s->machine.inputs[i].high);
  }
  return good;
}

int inputs_open(struct session *s) {
  struct inputs *in = &s->inputs;
  const struct cli_options *o = &s->options;
  struct problem problem = {.refused = false};
  if (!inputs_unknown(s)) return CLI_CLEAN;
  if (cli_samples(o)) return refuse(s, "--algorithm random or pct with inputs is not supported");
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
  if (!declare_all(s) || !machine_set_symbolic(&s->machine, &in->symbolic)) return refuse_memory(s);
  in->symbolic.max_values = o->max_values > 0 ? o->max_values : VALUES;
  in->symbolic.keep_implied = o->keep_implied;
  in->symbolic.by_terms = o->cutoffs.order != UNF_CUTOFFS_NONE || in->by_terms;
  in->symbolic.apart = &in->apart;
  in->symbolic.possible = find_possible;
  in->symbolic.history = find_history;
  in->symbolic.stands = name_branch;
  in->symbolic.user = in;
  /* A schedule has values of all inputs: there is nothing to ask. */
  if (s->options.replay != NULL) return CLI_CLEAN;
  in->open = true;
  if (o->cutoffs.order != UNF_CUTOFFS_NONE &&
      !conditions_make(&in->conditions, &s->machine, &in->knowledge))
    return refuse_memory(s);
  int status = start_solver(s);
  if (status != CLI_CLEAN) return status;
  if (o->max_branches != CLI_NUMBER_NONE) in->symbolic.max_branches = (uint64_t)o->max_branches;
  return CLI_CLEAN;
}

void inputs_close(struct inputs *in) {
  json_decref(in->asked);
  if (!in->made) return;
  symbolic_free(&in->symbolic);
  conditions_free(&in->conditions);
  knowledge_close(&in->knowledge);
  free(in->solver_program);
}

uint64_t inputs_bytes(const struct inputs *in) {
  if (!in->made) return 0;
  return branches_bytes(&in->symbolic.accesses) + knowledge_bytes(&in->knowledge) +
         conditions_bytes(&in->conditions);
}

void inputs_cause(struct inputs *in, unf_event event) {
  in->cause = event;
  in->has_history = false;
}

bool inputs_refused(const struct inputs *in) {
  return in->made && (in->symbolic.refused || in->knowledge.refused || in->knowledge.terms.failed ||
                      in->conditions.failed || in->conditions.uses.failed);
}
