/*
 * Whatever is tried is performed, with at most as many steps as would be fewer, and taken only if
 * the defect is there then; so there is a real execution at each moment, and where trying ends does
 * not matter. Three things are tried:
 *
 * - what a thread does that no other thread's steps follow is left out (the causes of a step are
 *   enough for it);
 * - steps of a thread, or any in a row, are put behind all others, half of them at once, then
 *   smaller parts. What is not possible then is left out, and what is possible behind that is
 *   performed, as long as it is no more than before;
 * - all executions, one by one, as far as they have fewer steps. If that comes to its end, there is
 *   no shorter one.
 *
 * Of executions with as many steps the one with fewer switches is better.
 */
#include "shorten.h"

#include <report.h>
#include <stdlib.h>
#include <string.h>

#include "untried.h"

/* Of the time, what the first look at all executions may take, and when delaying ends; the rest, of
 * which the last part is for the order, is for all executions again. */
static const double first_share = 0.3, delaying_share = 0.7, order_share = 0.1, order_most = 0.5;

struct shortening {
  const struct shorten_engine *engine;
  struct shortened *out;
  struct run best; /* as far as `shown` */
  struct untried untried;
  bool begun;      /* the look at all executions */
  bool incomplete; /* some of them were not performed, or not all choices are known */
  bool failed;     /* there was no memory */
};

static bool is_over(const struct shortening *s, double until) {
  return s->failed || cli_now() > until || s->engine->interrupted(s->engine->run.user);
}

static bool perform(struct shortening *s, const unf_action *steps, size_t count, struct run *run) {
  const struct run_engine *engine = &s->engine->run;
  run->watched = run->causes_wanted = true;
  s->out->tried++;
  if (!engine->perform(engine->user, steps, count, run)) return false;
  s->failed |= run->failed;
  return !run->failed;
}

/* Takes a run if it is shorter, or as short and with fewer switches. */
static bool take(struct shortening *s, struct run *run) {
  if (run->shown > s->best.shown) return false;
  if (run->shown == s->best.shown &&
      run_switches(run->steps, run->shown) >= run_switches(s->best.steps, s->best.shown))
    return false;
  run_free(&s->best);
  s->best = *run;
  *run = (struct run)RUN_INIT;
  s->out->fewest_switches = false;
  return true;
}

/* Performs steps; if it is lenient, those that are not possible left out, and no more behind them
 * than the best has in all. */
static bool try_steps(struct shortening *s, const unf_action *steps, size_t count, bool lenient) {
  struct run run = RUN_INIT;
  run.lenient = lenient;
  run.most = lenient ? s->best.shown : count;
  const bool better = perform(s, steps, count, &run) && take(s, &run);
  run_free(&run);
  return better;
}

/* ---- what nothing follows ---- */

struct cause_key {
  uint64_t key;
  size_t step;
};

static int by_key(const void *a, const void *b) {
  const struct cause_key *left = a, *right = b;
  if (left->key != right->key) return left->key < right->key ? -1 : 1;
  return (left->step > right->step) - (left->step < right->step);
}

/* Marks what the steps that are marked follow. `keys` has those of the steps, ascending. */
static void mark_causes(const struct run *run, const struct cause_key *keys, bool *kept) {
  for (size_t i = run->shown; i-- > 0;) {
    const size_t low = i > 0 ? run->cause_ends[i - 1] : 0;
    for (size_t c = low; kept[i] && c < run->cause_ends[i]; c++) {
      const struct cause_key wanted = {run->causes[c], 0};
      size_t begin = 0, end = run->shown;
      while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (by_key(&keys[middle], &wanted) < 0)
          begin = middle + 1;
        else
          end = middle;
      }
      if (begin < run->shown && keys[begin].key == wanted.key) kept[keys[begin].step] = true;
    }
  }
}

/* Threads from one on, so many. */
struct group {
  unf_thread first, count;
};

/* The steps without what these threads do alone, into room for all; their number. */
static size_t leave_group_out(const struct run *run, const struct cause_key *keys,
                              struct group group, bool *kept, unf_action *steps) {
  size_t count = 0;
  for (size_t i = 0; i < run->shown; i++)
    kept[i] =
        run->steps[i].thread < group.first || run->steps[i].thread - group.first >= group.count;
  mark_causes(run, keys, kept);
  for (size_t i = 0; i < run->shown; i++)
    if (kept[i]) steps[count++] = run->steps[i];
  return count;
}

static unf_thread highest_thread(const struct run *run) {
  unf_thread highest = 0;
  for (size_t i = 0; i < run->shown; i++)
    if (run->steps[i].thread > highest) highest = run->steps[i].thread;
  return highest;
}

/* Half of the threads first, then fewer. */
static void leave_threads_out(struct shortening *s, double until) {
  const size_t room = s->best.shown + 1;
  struct cause_key *keys = malloc(room * sizeof *keys);
  bool *kept = malloc(room * sizeof *kept);
  unf_action *steps = malloc(room * sizeof *steps);
  const unf_thread threads = highest_thread(&s->best) + 1;
  bool fresh = true;
  s->failed |= keys == NULL || kept == NULL || steps == NULL;
  for (unf_thread size = (threads + 1) / 2; size > 0; size = size > 1 ? (size + 1) / 2 : 0)
    for (unf_thread t = 0; t < threads && s->best.shown > 0 && !is_over(s, until); t += size) {
      for (size_t i = 0; fresh && i < s->best.shown; i++)
        keys[i] = (struct cause_key){s->best.events[i].key[0], i};
      if (fresh) qsort(keys, s->best.shown, sizeof *keys, by_key);
      const size_t count = leave_group_out(&s->best, keys, (struct group){t, size}, kept, steps);
      fresh = count < s->best.shown && try_steps(s, steps, count, false);
    }
  free(keys);
  free(kept);
  free(steps);
}

/* ---- delaying ---- */

#define EVERY_THREAD UNF_THREAD_NONE

/* The steps with some of a thread, or of all, from a number on, put behind all others; how many
 * these have in all. */
static size_t put_behind(const struct run *run, unf_thread thread, size_t from, size_t size,
                         unf_action *steps) {
  size_t number = 0, count = 0, behind = 0;
  for (size_t i = 0; i < run->shown; i++) {
    const bool mine = thread == EVERY_THREAD || run->steps[i].thread == thread;
    if (!mine || number < from || number - from >= size) steps[count++] = run->steps[i];
    number += mine;
  }
  for (size_t i = 0; count < run->shown; i++) {
    const bool mine = thread == EVERY_THREAD || run->steps[i].thread == thread;
    if (mine && behind >= from && behind - from < size) steps[count++] = run->steps[i];
    behind += mine;
  }
  return number;
}

/* Delays steps of a thread, or of all, half of them first; whether something was gained. */
static bool delay_steps(struct shortening *s, unf_thread thread, unf_action *steps, double until) {
  size_t size = put_behind(&s->best, thread, 0, 0, steps);
  bool gained = false;
  for (size = (size + 1) / 2; size > 0; size = size > 1 ? (size + 1) / 2 : 0)
    for (size_t from = 0; s->best.shown > 0 && !is_over(s, until);) {
      const size_t all = put_behind(&s->best, thread, from, size, steps);
      if (from >= all) break;
      if (try_steps(s, steps, s->best.shown, true))
        gained = true;
      else
        from += size;
    }
  return gained;
}

static void delay_all(struct shortening *s, double until) {
  unf_action *steps = malloc((s->best.shown + 1) * sizeof *steps);
  s->failed |= steps == NULL;
  for (bool gained = true; gained && !is_over(s, until);) {
    gained = false;
    for (unf_thread t = 0; t <= highest_thread(&s->best) && !is_over(s, until); t++)
      gained |= delay_steps(s, t, steps, until);
    if (!is_over(s, until)) gained |= delay_steps(s, EVERY_THREAD, steps, until);
  }
  free(steps);
}

/* ---- all executions ---- */

/* Performs what is open, as far as it can become shorter. */
static void look_at(struct shortening *s, uint32_t node, double until) {
  struct untried *u = &s->untried;
  struct run run = RUN_INIT;
  run.from = u->prefix_count;
  run.most = s->best.shown - 1;
  if (perform(s, u->prefix, u->prefix_count, &run)) {
    s->incomplete |= run.partial;
    untried_follow(u, &run, node, run.most);
    take(s, &run);
  } else if (is_over(s, until)) {
    untried_give_back(u);
  } else {
    s->incomplete = true;
  }
  run_free(&run);
}

/* True: there is no shorter one. */
static bool look_at_all(struct shortening *s, double until) {
  struct untried *u = &s->untried;
  if (!s->begun) {
    untried_begin(u);
    untried_root(u);
  }
  s->begun = true;
  while (s->best.shown > 0 && u->open_count > 0 && !u->failed && !is_over(s, until)) {
    if (untried_full(u)) return false;
    const bool root = u->open[u->open_count - 1] == 0;
    const uint32_t node = untried_take(u);
    if (u->failed) break;
    if (node == 0 && !root) break;
    if (u->prefix_count < s->best.shown) look_at(s, node, until);
  }
  s->failed |= u->failed;
  return s->best.shown == 0 || (u->open_count == 0 && !s->incomplete && !s->failed);
}

/* ---- the order ---- */

static void put_in_order(struct shortening *s) {
  const size_t count = s->best.shown;
  struct run run = RUN_INIT;
  unf_switches found;
  unf_action *steps = malloc((count + 1) * sizeof *steps);
  s->out->fewest_switches = false;
  if (steps == NULL) return;
  if (count > 0) memcpy(steps, s->best.steps, count * sizeof *steps);
  run.most = count;
  if (s->engine->order(s->engine->run.user, steps, count, &found) &&
      perform(s, steps, count, &run) && run.shown <= count) {
    s->out->fewest_switches =
        found.switches == found.least && run_switches(run.steps, run.shown) == found.switches;
    run_free(&s->best);
    s->best = run;
    run = (struct run)RUN_INIT;
  }
  run_free(&run);
  free(steps);
}

/* ---- all of it ---- */

static void shorten_all(struct shortening *s) {
  const double begin = cli_now(), time = s->engine->run.until - begin;
  const double kept = time * order_share < order_most ? time * order_share : order_most;
  const double until = s->engine->run.until - kept;
  put_in_order(s);
  leave_threads_out(s, until);
  bool none = look_at_all(s, begin + time * first_share);
  delay_all(s, begin + time * delaying_share);
  s->out->fewest_steps = none || look_at_all(s, until);
  if (!s->engine->interrupted(s->engine->run.user)) put_in_order(s);
}

void shorten(const struct shorten_engine *engine, const unf_action *steps, size_t count,
             struct shortened *out) {
  struct shortening s = {.engine = engine, .out = out, .best = RUN_INIT};
  memset(out, 0, sizeof *out);
  out->before = count;
  out->switches_before = run_switches(steps, count);
  s.best.most = count;
  if (!perform(&s, steps, count, &s.best) || s.best.shown == RUN_NONE)
    out->why = s.failed                                ? "there is no memory"
               : engine->interrupted(engine->run.user) ? "an interrupt came"
               : cli_now() > engine->run.until         ? "there was no time"
                                                       : "its execution did not show it again";
  else
    shorten_all(&s);
  out->count = s.best.shown;
  out->switches = out->why == NULL ? run_switches(s.best.steps, s.best.shown) : 0;
  if (out->why == NULL) out->steps = malloc((out->count + 1) * sizeof *out->steps);
  if (out->why == NULL && out->steps == NULL) out->why = "there is no memory";
  if (out->steps != NULL && out->count > 0)
    memcpy(out->steps, s.best.steps, out->count * sizeof *out->steps);
  run_free(&s.best);
  if (s.begun) untried_free(&s.untried);
}

void shortened_free(struct shortened *shortened) {
  free(shortened->steps);
  shortened->steps = NULL;
}

json_t *shortened_not(const char *why) {
  return json_pack("{s:s}", "why", why);
}

json_t *shortened_json(const struct shortened *s) {
  if (s->why != NULL) return shortened_not(s->why);
  return json_pack("{s:{s:I, s:I, s:b}, s:{s:I, s:I, s:b}, s:I}", "steps", "before",
                   (json_int_t)s->before, "after", (json_int_t)s->count, "fewest", s->fewest_steps,
                   "switches", "before", (json_int_t)s->switches_before, "after",
                   (json_int_t)s->switches, "fewest", s->fewest_switches, "tried",
                   (json_int_t)s->tried);
}
