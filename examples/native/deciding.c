/* The step that decided, of a program. */
#include "deciding.h"

#include "performing.h"

#include <decide.h>
#include <report.h>
#include <stdlib.h>

static json_t *tell(struct performing *p, const unf_action *steps, size_t count) {
  const struct run_engine engine = {p, performing_run, p->until};
  const struct manner manner = {UINT64_MAX - 1, UINT64_MAX, 0, false}; /* a part of a schedule */
  struct decided decided;
  struct performed other = {NULL, NULL, 0, 0, false};
  struct cli_defects defects = {0};
  json_t *execution = NULL;
  decide(&engine, steps, count, &decided);
  if (decided.decision == DECIDED && decided.step >= count) decided.decision = DECIDED_NOT;
  if (decided.decision == DECIDED) {
    p->until = cli_now() + DECIDE_SECONDS;
    if (performing_do(p, decided.other.steps, decided.other.count, &manner, &other) &&
        performing_found(&other, &defects))
      execution = execution_of(p->telling, &other, p->defect);
  }
  json_t *shown = json_incref(json_object_get(execution, "steps"));
  json_decref(execution);
  json_t *told = decided_json(&decided, count, shown, &defects, "every thread ends");
  cli_defects_free(&defects);
  again_free(&other);
  decided_free(&decided);
  return told;
}

json_t *deciding_step(struct telling *t, const struct cli_defect *defect,
                      const struct performed *performed, double seconds) {
  struct performing p;
  size_t count;
  if (defect->kind == CLI_REORDERED || defect->count + defect->probes == 0)
    return json_pack("{s:s}", "why",
                     "of a defect that was found while less of the program was seen, the deciding "
                     "step is not looked for");
  if (!performing_begin(&p, t, defect, seconds))
    return json_pack("{s:s}", "why", "there is no folder for the schedules of other executions");
  unf_action *steps = performing_steps(t, performed, &count);
  json_t *told = steps != NULL ? tell(&p, steps, count) : NULL;
  free(steps);
  performing_end(&p);
  return told;
}
