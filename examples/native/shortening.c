/* --shorten of a program. A result counts when its schedule alone, performed as --replay does,
 * shows the defect: a schedule also says what memory the threads share, which a part of it may
 * lack. */
#include "shortening.h"

#include "control.h"
#include "performing.h"

#include <shorten.h>
#include <stdlib.h>
#include <string.h>

/* Elementary steps for an order with few switches: a fraction of a second. */
#define ORDER_STEPS UINT64_C(2000000)

/* For the replay that confirms the result. */
static const double confirm_seconds = 1;

static bool interrupted(void *performing) {
  (void)performing;
  return again_interrupted();
}

/* The replay says the order at its end. */
static bool put_in_order(void *user, unf_action *steps, size_t count, unf_switches *found) {
  struct performing *p = user;
  const struct manner manner = {UINT64_MAX, count, ORDER_STEPS, false};
  struct performed performed;
  size_t ordered = 0;
  bool good = performing_do(p, steps, count, &manner, &performed);
  unf_schedule *schedule = good ? actions_of(p->telling, &performed) : NULL;
  good = schedule != NULL;
  for (size_t i = 0; i < performed.count && good; i++) {
    if (!performed.steps[i].ordered) continue;
    good = ordered < count && unf_schedule_step(schedule, i, &steps[ordered]) == UNF_OK;
    ordered++;
  }
  if (good) *found = performed.control->switches;
  unf_schedule_free(schedule);
  again_free(&performed);
  return good && ordered == count;
}

/* Performs the result as --replay does, and reports the defect as it is there. */
static bool confirm(struct performing *p, const struct shortened *shortened,
                    struct cli_defect *defect) {
  const struct manner plain = MANNER_INIT;
  struct performed performed;
  struct cli_defects defects = {0};
  p->until = cli_now() + confirm_seconds;
  const bool good = performing_do(p, shortened->steps, shortened->count, &plain, &performed) &&
                    performing_found(&performed, &defects) && cli_defect_told_as(defect, &defects);
  cli_defects_free(&defects);
  again_free(&performed);
  return good;
}

/* In place of the other schedule, unless that is the same. */
static const char *replace(struct performing *p, const struct shortened *shortened,
                           struct cli_defect *defect) {
  if (!confirm(p, shortened, defect))
    return again_interrupted() ? "an interrupt came"
                               : "a replay of the shorter schedule does not come to its end in "
                                 "time, or not to the same defect";
  return performing_save(p, defect->schedule, shortened->steps, shortened->count)
             ? NULL
             : "its schedule could not be written";
}

/* Others that take much longer than this one have hung. */
static const double each_least = 0.5, each_factor = 10;

/* The steps of the schedule of a defect; NULL: they are not performed in time. */
static unf_action *own_steps(struct performing *p, size_t *count) {
  const struct manner plain = MANNER_INIT;
  const double begin = cli_now();
  struct performed performed;
  unf_action *steps = NULL;
  if (again_perform(p->telling->again, p->defect->schedule, p->until - cli_now(), &plain,
                    &performed) &&
      performed.ended)
    steps = performing_steps(p->telling, &performed, count);
  p->each = each_least + each_factor * (cli_now() - begin);
  again_free(&performed);
  return steps;
}

static json_t *shorten_by(struct performing *p, struct cli_defect *defect) {
  const struct shorten_engine engine = {{p, performing_run, p->until}, put_in_order, interrupted};
  struct shortened shortened;
  size_t count;
  unf_action *steps = own_steps(p, &count);
  if (steps == NULL)
    return shortened_not(again_interrupted() ? "an interrupt came"
                                             : "its replay did not come to the end in time");
  shorten(&engine, steps, count, &shortened);
  if (shortened.why == NULL) shortened.why = replace(p, &shortened, defect);
  json_t *told = shortened_json(&shortened);
  shortened_free(&shortened);
  free(steps);
  return told;
}

static json_t *shorten_one(struct telling *telling, struct cli_defect *defect, double seconds) {
  struct performing p;
  if (defect->schedule == NULL) return shortened_not("its schedule could not be written");
  if (defect->kind == CLI_REORDERED || defect->count + defect->probes == 0)
    return shortened_not("it was found while less of the program was seen");
  if (again_interrupted() || telling->again->explored->stop == STOP_INTERRUPT)
    return shortened_not("an interrupt came");
  if (!performing_begin(&p, telling, defect, seconds))
    return shortened_not("there is no folder for the schedules of other executions");
  json_t *told = shorten_by(&p, defect);
  performing_end(&p);
  return told;
}

void shorten_defects(const struct again *again, struct cli_result *result) {
  struct telling telling = {.again = again};
  const size_t count = result->defects.count;
  const double given = again->options->shorten_seconds;
  const double until = cli_now() + (given > 0 ? given : SHORTEN_SECONDS);
  const bool open = telling_open(&telling);
  for (size_t i = 0; i < count; i++) { /* each has its share of time */
    const double share = (until - cli_now()) / (double)(count - i);
    struct cli_defect *defect = &result->defects.items[i];
    cli_defect_set_shortened(defect, open ? shorten_one(&telling, defect, share) : NULL);
  }
  telling_close(&telling);
}
