/*
 * --save and --continue: what was found so far, in front of what the library writes. It is what
 * finished executions found: one that is at hand is dropped, and performed again by the process
 * that goes on.
 */
#include "saving.h"

#include <stdlib.h>
#include <string.h>

#include "executions.h"
#include "settings.h"

static json_t *identity_of(const struct session *s) {
  char hash[17];
  cli_hash_text(s->program.text, s->program.size, hash);
  return cli_saved_identity(CLI_MODEL, &s->options, hash, 1);
}

/* ---- what is known ---- */

void saving_executed(struct session *s) {
  unf_races_counts counts;
  unf_race race;
  executions_finished(s);
  if (s->options.save == NULL || s->races == NULL) return;
  unf_races_counts_get(s->races, &counts);
  if (counts.races > s->race_room) {
    const size_t room = 2 * (size_t)counts.races;
    uint64_t *bigger = realloc(s->race_counts, room * sizeof *bigger);
    if (bigger == NULL) return; /* these are counted when they are seen next */
    s->race_counts = bigger;
    s->race_room = room;
  }
  s->race_count = counts.races;
  for (uint64_t i = 0; i < counts.races && unf_races_get(s->races, i, &race) == UNF_OK; i++)
    s->race_counts[i] = race.count;
}

/* Brings the counts of races up to date, as far as executions are finished. */
static void count_races(struct session *s) {
  unf_race race;
  bool fresh;
  for (uint64_t i = 0; i < s->race_count && unf_races_get(s->races, i, &race) == UNF_OK; i++) {
    uint64_t places[] = {race.first.place, race.second.place};
    struct cli_defect *d =
        cli_defects_see(&s->result.defects, CLI_RACE, places, 2, (struct cli_seen){0, 0}, &fresh);
    if (d != NULL) d->count = d->before + s->race_counts[i];
  }
}

static json_t *schedules_json(const struct session *s) {
  json_t *list = json_array();
  for (size_t i = 0; i < s->schedule_count; i++)
    json_array_append_new(list,
                          s->schedules[i] != NULL ? json_string(s->schedules[i]) : json_null());
  return list;
}

json_t *saving_known(struct session *s, const unf_explorer *x) {
  unf_counts counts;
  unf_explorer_counts(x, &counts);
  count_races(s);
  return json_pack("{s:I, s:I, s:f, s:I, s:I, s:o, s:o, s:o}", "times",
                   (json_int_t)s->result.before.times, "executions", (json_int_t)counts.executions,
                   "seconds", s->result.before.seconds + cli_now() - s->start, "livelocks",
                   (json_int_t)s->result.livelocks, "races", (json_int_t)s->result.races, "defects",
                   cli_saved_defects(&s->result.defects), "schedules", schedules_json(s), "listed",
                   executions_saved(s));
}

static bool read_schedules(struct session *s, const json_t *list) {
  const size_t count = json_array_size(list);
  s->schedules = calloc(count + 1, sizeof *s->schedules);
  if (s->schedules == NULL || count > s->result.defects.count) return false;
  for (; s->schedule_count < count; s->schedule_count++) {
    const json_t *text = json_array_get(list, s->schedule_count);
    char **to = &s->schedules[s->schedule_count];
    *to = json_is_string(text) ? strdup(json_string_value(text)) : NULL;
    if (json_is_string(text) && *to == NULL) return false;
  }
  return true;
}

static bool read_known(struct session *s, const json_t *known) {
  struct cli_before *b = &s->result.before;
  b->file = s->options.go_on;
  b->times = (uint64_t)json_integer_value(json_object_get(known, "times")) + 1;
  b->executions = (uint64_t)json_integer_value(json_object_get(known, "executions"));
  b->seconds = json_number_value(json_object_get(known, "seconds"));
  s->result.livelocks = (uint64_t)json_integer_value(json_object_get(known, "livelocks"));
  s->result.races = (uint64_t)json_integer_value(json_object_get(known, "races"));
  bool good = cli_saved_defects_read(&s->result.defects, json_object_get(known, "defects"));
  s->defects_before = s->result.defects.count;
  return good && read_schedules(s, json_object_get(known, "schedules"));
}

/* ---- the file ---- */

int saving_open(struct session *s) {
  int status = CLI_CLEAN;
  if (s->options.save == NULL && s->options.go_on == NULL) return CLI_CLEAN;
  if (s->inputs.open && !cli_shares(&s->options)) {
    cli_say(stderr, "unfold-model: --%s: not with inputs: what is known of them is not written",
            s->options.save != NULL ? "save" : "continue");
    return CLI_USAGE;
  }
  s->identity = identity_of(s);
  if (s->identity == NULL) return CLI_STOPPED;
  /* Several processes have a journal, see jobs.c. */
  if (s->options.go_on == NULL || cli_shares(&s->options)) return CLI_CLEAN;
  if (!cli_saved_open(&s->continued, CLI_MODEL, s->options.go_on, s->identity, &status))
    return status;
  if (read_known(s, s->continued.known)) return CLI_CLEAN;
  cli_say(stderr, "unfold-model: %s: what was found cannot be read", s->options.go_on);
  return CLI_USAGE;
}

unf_status saving_explorer(struct session *s, const unf_explorer_options *options,
                           unf_explorer **out) {
  const double begin = cli_now();
  save_times_begin(&s->saving, begin, 0);
  if (s->options.go_on == NULL || cli_shares(&s->options))
    return unf_explorer_new(s->unfolding, options, out);
  unf_status status = cli_saved_explorer(&s->continued, s->unfolding, options, out);
  /* To write it takes less than a sixteenth of that, since nothing is interned. */
  save_times_begin(&s->saving, cli_now(), (cli_now() - begin) / 16);
  s->unreadable = status != UNF_OK && status != UNF_LIMIT && status != UNF_INTERRUPTED;
  cli_saved_close(&s->continued);
  return status;
}

static void save(struct session *s, unf_explorer *x, json_t *known) {
  unf_limits limits = {.bytes = 0};
  const double begin = cli_now();
  cli_options_limits(&s->options, &limits);
  bool saved = known != NULL && cli_saved_write(CLI_MODEL, s->options.save, s->identity, known, x,
                                                s->context, &limits);
  json_decref(known);
  if (saved) s->result.saved = s->options.save;
  s->failed = s->failed || !saved;
  save_times_done(&s->saving, begin, cli_now());
  s->result.saves = s->saving;
}

void saving_between(struct session *s, unf_explorer *x) {
  if (s->options.save_every > 0 && save_times_due(&s->saving, s->options.save_every, cli_now()))
    save(s, x, saving_known(s, x));
}

/* What ended otherwise is not gone on with: it would end there again. */
void saving_end(struct session *s, unf_explorer *x, json_t *known) {
  static const char *const ends[] = {"runtime", "race"};
  const char *stopped = s->result.stopped;
  bool goes_on = s->result.uncontrolled == NULL;
  for (size_t i = 0; goes_on && stopped != NULL && i < sizeof ends / sizeof ends[0]; i++)
    goes_on = strcmp(stopped, ends[i]) != 0;
  if (!goes_on) {
    json_decref(known);
    return;
  }
  unf_explorer_abandon(x);
  save(s, x, known);
}
