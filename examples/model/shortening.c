/*
 * --shorten of a model. Executions are performed by a second session of the same program, with
 * values of its inputs, as for --report.
 */
#include "shortening.h"

#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "describe.h"
#include "retell.h"
#include "shorten.h"

/* Elementary steps for an order with few switches: a fraction of a second. */
#define ORDER_STEPS UINT64_C(5000000)

/* Of what stopped an execution, only an interrupt ends all. */
static bool interrupted(void *user) {
  const struct again *again = user;
  (void)again;
  return cli_interrupt_came();
}

static bool perform(void *user, const unf_action *actions, size_t count, struct run *run) {
  struct again *again = user;
  again->session.result.stopped = NULL;
  return again_perform(again, actions, count, run, NULL);
}

struct step_order {
  const struct again *again;
  unf_action *steps;
  size_t count;
};

static bool add_step(void *user, unf_event event) {
  struct step_order *order = user;
  return unf_event_action(order->again->session.unfolding, event, &order->steps[order->count++]) ==
         UNF_OK;
}

/* Of the events of the execution. */
static bool put_in_order(void *user, unf_action *steps, size_t count, unf_switches *found) {
  struct again *again = user;
  struct run run = RUN_INIT;
  struct step_order order = {again, steps, 0};
  run.most = count;
  bool good = perform(again, steps, count, &run) && run.count == count;
  run_free(&run);
  return good &&
         unf_configuration_fewest_switches(again->events, ORDER_STEPS, add_step, &order, found) ==
             UNF_OK &&
         order.count == count;
}

/* The schedule of these steps, to be freed. NULL: no memory. */
static unf_schedule *schedule_of(struct again *again, const struct shortened *shortened) {
  char *program = describe_program(&again->session, again->defect->inputs);
  unf_schedule *schedule = NULL;
  unf_status status =
      program != NULL ? unf_schedule_new(again->session.unfolding, program, &schedule) : UNF_MEMORY;
  for (size_t i = 0; status == UNF_OK && i < shortened->count; i++)
    status = unf_schedule_append(schedule, &shortened->steps[i]);
  free(program);
  if (status == UNF_OK) return schedule;
  unf_schedule_free(schedule);
  return NULL;
}

/* Performs the result, which was performed in time before, and whatever comes now. */
static bool perform_result(struct again *again, const struct shortened *shortened) {
  struct run run = RUN_INIT;
  again->session.options.max_seconds = 0;
  again->session.undisturbed = true;
  run.most = shortened->count;
  bool good = perform(again, shortened->steps, shortened->count, &run);
  run_free(&run);
  run.most = shortened->count;
  if (!good && cli_interrupt_came()) /* the library may still have to answer it */
    good = perform(again, shortened->steps, shortened->count, &run);
  run_free(&run);
  return good;
}

/* Puts the shorter execution in the place of the other one, with its file. */
static bool replace(struct session *s, size_t number, struct again *again,
                    const struct shortened *shortened) {
  struct cli_defect *defect = &s->result.defects.items[number];
  unf_schedule *schedule = schedule_of(again, shortened);
  char *text = schedule != NULL ? retell_text(schedule) : NULL;
  const bool good = text != NULL && perform_result(again, shortened) &&
                    cli_defect_told_as(defect, &again->session.result.defects);
  if (!good) {
    free(text);
  } else {
    free(s->schedules[number]);
    s->schedules[number] = text;
    if (defect->schedule != NULL &&
        !cli_schedule_write(CLI_MODEL, schedule, s->options.trace_dir, defect->schedule))
      s->failed = true;
  }
  unf_schedule_free(schedule);
  return good;
}

/* NULL: no memory. */
static json_t *shorten_one(struct session *s, size_t number, double seconds) {
  struct cli_defect *defect = &s->result.defects.items[number];
  const char *text = number < s->schedule_count ? s->schedules[number] : NULL;
  struct shortened shortened = {.why = NULL};
  unf_action *actions = NULL;
  struct again again;
  size_t count;
  if (json_is_null(defect->inputs))
    return shortened_not("no values of the inputs are known that lead there");
  bool good = text != NULL && again_open(&again, s, defect) &&
              retell_steps(&again.session, text, &actions, &count);
  if (good) {
    const struct shorten_engine engine = {
        {&again, perform, cli_now() + seconds}, put_in_order, interrupted};
    again.session.start = cli_now();
    again.session.options.max_seconds = seconds;
    cli_interrupt_watch(again.session.context);
    shorten(&engine, actions, count, &shortened);
    cli_interrupt_watch(NULL);
    good = shortened.why != NULL || replace(s, number, &again, &shortened);
  }
  json_t *told = good ? shortened_json(&shortened) : NULL;
  shortened_free(&shortened);
  free(actions);
  if (text != NULL) again_close(&again);
  return told;
}

void session_shorten(struct session *s) {
  const size_t count = s->result.defects.count;
  const double given = s->options.shorten_seconds;
  const double until = cli_now() + (given > 0 ? given : SHORTEN_SECONDS);
  for (size_t i = 0; i < count; i++) { /* each has its share of time */
    json_t *told = cli_interrupt_came()
                       ? shortened_not("an interrupt came")
                       : shorten_one(s, i, (until - cli_now()) / (double)(count - i));
    cli_defect_set_shortened(&s->result.defects.items[i], told);
  }
}
