/* --tests: a schedule with values of the inputs for each execution. --coverage: what they take. */
#include "tests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coverage.h"
#include "knowledge.h"
#include "options.h"
#include "schedule.h"
#include "session.h"
#include "solver.h"
#include "sym.h"
#include "text.h"

enum { NAME_SIZE = 64 };

static const char *name_of(uint64_t number, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "test-%" PRIu64 ".unfs", number);
  return name;
}

/* Whether it is an execution, with inputs that are known; *set has its facts. */
static bool is_test(struct sym *s, const unf_verdict *v, uint32_t *set) {
  if (v->redundant || v->infeasible || v->truncated || v->undecided || v->probe) return false;
  *set = knowledge_run(&s->knowledge, s->explorer);
  return *set != UINT32_MAX && knowledge_ask(&s->knowledge, *set) == SOLVER_YES;
}

void sym_write_test(struct sym *s, const unf_verdict *verdict) {
  char name[NAME_SIZE];
  uint32_t set;
  if (s->options.tests == NULL || !is_test(s, verdict, &set)) return;
  unf_schedule *schedule = sym_schedule(s, set);
  if (schedule == NULL) return;
  if (cli_schedule_write(CLI_SYMBOLIC, schedule, s->options.tests, name_of(s->tests + 1, name)))
    s->tests++;
  else
    sym_not_saved(s);
  unf_schedule_free(schedule);
}

void sym_drop_tests(struct sym *s) {
  char name[NAME_SIZE];
  for (; s->tests > 0; s->tests--) {
    name_of(s->tests, name);
    char *path = malloc(strlen(s->options.tests) + sizeof name + 1);
    if (path == NULL) {
      cli_say(stderr, "unfold-sym: no memory for a file name; %s/%s is no test", s->options.tests,
              name);
      s->refused = true;
      continue;
    }
    sprintf(path, "%s/%s", s->options.tests, name);
    unlink(path);
    free(path);
  }
}

/* ---- coverage ---- */

static void write_lcov(struct sym *s, FILE *file) {
  const bool whole =
      coverage_write(s->machine.coverage, file, s->options.arguments, s->options.file_count);
  const bool good = ferror(file) == 0;
  if (fclose(file) == 0 && good && whole) return;
  cli_say(stderr, "unfold-sym: %s %s", s->options.coverage,
          whole ? "could not be written" : "is not whole: no memory");
  s->refused |= !whole;
  s->failed |= whole;
}

void sym_write_coverage(struct sym *s) {
  if (s->machine.coverage == NULL) return;
  if (json_object_set_new(s->result.more, "coverage", coverage_json(s->machine.coverage)) != 0) {
    cli_say(stderr, "unfold-sym: no memory for the coverage in JSON");
    s->refused = true;
  }
  if (s->options.coverage == NULL) return;
  FILE *file = fopen(s->options.coverage, "w");
  if (file != NULL) {
    write_lcov(s, file);
    return;
  }
  const int reason = errno;
  cli_say(stderr, "unfold-sym: %s: %s", s->options.coverage, strerror(reason));
  errno = reason;
  sym_not_saved(s);
}
