/*
 * Goes backwards through the execution. Before each of its steps everything else that was possible
 * there is tried, with everything that can follow: a search for an execution without the defect
 * among all those that begin so. What was reached before is not searched again: two beginnings with
 * the same events, whatever their order, go on alike. When nothing is found, all that begins so has
 * the defect, so the step did not decide, and the one before it is looked at. A set of events is
 * known by a hash of 128 bits.
 */
#include "decide.h"

#include "untried.h"

#include <report.h>
#include <stdlib.h>
#include <string.h>

struct deciding {
  const struct run_engine *engine;
  struct untried untried;
  struct decided *out;
  bool failed;
};

static bool out_of_time(const struct deciding *s) {
  return cli_now() > s->engine->until || untried_full(&s->untried);
}

/* Performs what is open until nothing is, or an execution without the defect was found. */
static bool find_other(struct deciding *s) {
  struct untried *b = &s->untried;
  while (b->open_count > 0 && !out_of_time(s)) {
    const uint32_t node = untried_take(b);
    if (node == 0) break;
    struct run run = RUN_INIT;
    run.from = b->prefix_count;
    s->out->tried++;
    if (!s->engine->perform(s->engine->user, b->prefix, b->prefix_count, &run) || run.failed) {
      if (out_of_time(s))
        untried_give_back(b);
      else
        s->failed = true;
    } else if (!run.defect) {
      s->out->other = run;
      return true;
    } else {
      s->out->partial |= run.partial;
      untried_follow(b, &run, node, RUN_NONE);
    }
    run_free(&run);
    if (s->failed) break;
  }
  s->failed |= b->failed;
  return false;
}

/* The sets of events before each step of a run, and behind it; NULL: no memory. */
static struct event_set *sets_of(const struct run *run) {
  struct event_set *sets = calloc(run->count + 1, sizeof *sets);
  for (size_t i = 0; sets != NULL && i < run->count; i++) {
    sets[i + 1] = sets[i];
    event_set_add(&sets[i + 1], run->events[i]);
  }
  return sets;
}

/* From the last step backwards; the nodes of the steps have their numbers, from 1. */
static void go_back(struct deciding *s, const struct run *run) {
  struct decided *out = s->out;
  struct event_set *sets = sets_of(run);
  for (size_t i = run->count; i-- > 0 && sets != NULL && !s->failed;) {
    out->step = i;
    untried_enter(&s->untried, &sets[i + 1]);
    untried_open(&s->untried, run, i, (uint32_t)i);
    const bool found = find_other(s);
    out->decision = found                       ? DECIDED
                    : s->failed                 ? DECIDED_NOT
                    : s->untried.open_count > 0 ? DECIDED_UNKNOWN
                                                : DECIDED_NOWHERE;
    if (out->decision == DECIDED_UNKNOWN) out->step = i + 1;
    if (out->decision != DECIDED_NOWHERE) break;
  }
  free(sets);
}

void decide(const struct run_engine *engine, const unf_action *steps, size_t count,
            struct decided *out) {
  struct deciding s = {.engine = engine, .out = out};
  struct run run = RUN_INIT;
  run.from = 0;
  memset(out, 0, sizeof *out);
  out->decision = DECIDED_NOT;
  s.failed = !engine->perform(engine->user, steps, count, &run) || run.failed;
  untried_begin(&s.untried);
  for (size_t i = 0; i < run.count && !s.failed; i++)
    untried_add(&s.untried, (uint32_t)i, &run.steps[i]);
  s.failed |= s.untried.failed;
  out->partial = run.partial;
  if (!s.failed && run.defect) go_back(&s, &run);
  run_free(&run);
  untried_free(&s.untried);
}

void decided_free(struct decided *decided) {
  run_free(&decided->other);
}

static json_t *other_json(const struct decided *decided, json_t *steps,
                          const struct cli_defects *found, const char *end) {
  const struct cli_defect *defect = found->count > 0 ? &found->items[0] : NULL;
  json_t *threads = defect != NULL ? json_incref(defect->threads) : json_array();
  return json_pack("{s:I, s:I, s:{s:o, s:s, s:b, s:o}}", "step", (json_int_t)decided->step + 1,
                   "tried", (json_int_t)decided->tried, "other", "steps", steps, "end",
                   defect != NULL ? cli_kind_name(defect->kind) : end, "fine", defect == NULL,
                   "ends", threads);
}

json_t *decided_json(const struct decided *decided, size_t count, json_t *steps,
                     const struct cli_defects *found, const char *end) {
  static const char *const partly = "; of choices among many values only some were tried";
  const char *more = decided->partial ? partly : "";
  const unsigned long long tried = decided->tried;
  if (decided->decision == DECIDED) return other_json(decided, steps, found, end);
  json_t *why =
      decided->decision == DECIDED_NOWHERE
          ? json_sprintf("no step decided: every execution has this defect (%llu others were "
                         "performed)%s",
                         tried, more)
      : decided->decision == DECIDED_UNKNOWN
          ? json_sprintf("no deciding step was found in the time that there was: %llu other "
                         "executions were performed; none of the last %zu of %zu steps decided, "
                         "and it is not known whether one before them did%s",
                         tried, count - decided->step, count, more)
          : json_string("no deciding step was found: an execution did not come to its end in time, "
                        "or there was no memory");
  return json_pack("{s:o, s:I}", "why", why, "tried", (json_int_t)decided->tried);
}
