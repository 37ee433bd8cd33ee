/* --save and --continue with several processes: what counts, in the journal and out of it. */
#include "go_on.h"

#include "jobs.h"
#include "report.h"
#include "text.h"

/* ---- saved ---- */

static json_t *counts_json(const struct wire_counts *counts) {
  json_t *object = json_object();
#define SET_COUNT(field)                                                                           \
  json_object_set_new(object, #field, json_integer((json_int_t)counts->field));
  WIRE_COUNTS(SET_COUNT)
#undef SET_COUNT
  return object;
}

/* With the texts of schedules, which a segment is the only one to have. */
static json_t *defects_json(struct jobs *j) {
  json_t *list = cli_saved_defects(j->defects), *entry;
  size_t i;
  if (j->schedule == NULL) return list;
  json_array_foreach(list, i, entry) {
    const char *text = j->schedule(j->user, i);
    if (text != NULL) json_object_set_new(entry, "text_of_schedule", json_string(text));
  }
  return list;
}

/* False: no memory. */
static bool keep_schedules(struct jobs *j, const json_t *list) {
  bool good = true;
  size_t i;
  json_t *entry;
  if (j->keep_schedule == NULL) return true;
  json_array_foreach(list, i, entry) {
    const char *text = json_string_value(json_object_get(entry, "text_of_schedule"));
    if (text != NULL && i < j->defects->count) good = j->keep_schedule(j->user, i, text) && good;
  }
  return good;
}

void jobs_save(struct jobs *j) {
  if (j->journal.folder == NULL) return;
  const struct cli_before *before = &j->before;
  const double seconds = before->seconds + j->seconds + cli_now() - j->begin;
  json_t *known = json_pack("{s:I, s:f, s:o, s:o, s:o*}", "times", (json_int_t)before->times,
                            "seconds", seconds, "counts", counts_json(&j->counts), "defects",
                            defects_json(j), "known", j->knows != NULL ? j->knows(j->user) : NULL);
  j->kept.size = j->kept.at = 0;
  if (j->front != NULL && !j->front->save(j->user, true, &j->kept)) {
    json_decref(known); /* there is no memory for it */
    known = NULL;
  }
  journal_begin(&j->journal, known, j->ledger, j->front != NULL ? &j->kept : NULL);
  json_decref(known);
}

/* ---- gone on with ---- */

static bool begin(void *user, const json_t *known, struct wire_bytes *ledger) {
  struct jobs *j = user;
  const json_t *counts = json_object_get(known, "counts");
#define GET_COUNT(field)                                                                           \
  j->counts.field = (uint64_t)json_integer_value(json_object_get(counts, #field));
  WIRE_COUNTS(GET_COUNT)
#undef GET_COUNT
  j->before.times = (uint64_t)json_integer_value(json_object_get(known, "times")) + 1;
  j->before.seconds = json_number_value(json_object_get(known, "seconds"));
  const json_t *defects = json_object_get(known, "defects");
  if (j->learn != NULL) j->learn(j->user, json_object_get(known, "known"));
  return cli_saved_defects_read(j->defects, defects) && keep_schedules(j, defects) &&
         unf_ledger_resume(j->unfolding, wire_take, ledger, &j->ledger) == UNF_OK;
}

static bool drop(void *user, const char *bytes, size_t size) {
  (void)user, (void)bytes, (void)size;
  return true;
}

static bool gave(void *user, uint64_t number) {
  struct jobs *j = user;
  uint64_t item;
  return unf_ledger_give(j->ledger, drop, NULL, &item) == UNF_OK && item == number;
}

static bool took_back(void *user, uint64_t number) {
  struct jobs *j = user;
  return unf_ledger_take_back(j->ledger, number) == UNF_OK;
}

static bool report(void *user, const struct wire_head *head, const char *bytes) {
  struct jobs *j = user;
  struct wire_bytes letter = {bytes, head->size, 0};
  if (unf_ledger_report(j->ledger, head->item, wire_take, &letter) != UNF_OK) return false;
  jobs_add_counts(j, &head->counts);
  return jobs_take_found_before(j, bytes + head->size, head->more);
}

static bool front(void *user, const char *bytes, size_t size) {
  struct jobs *j = user;
  return j->front->saved(j->user, bytes, size);
}

/* Whoever had items is gone. */
static bool open_all(struct jobs *j) {
  struct wire wire = {.data = NULL};
  unf_ledger *again = NULL;
  bool good = unf_ledger_write(j->ledger, wire_append, &wire) == UNF_OK;
  struct wire_bytes bytes = {wire.data, wire.size, 0};
  good = good && unf_ledger_read(j->unfolding, wire_take, &bytes, &again) == UNF_OK;
  unf_ledger_free(j->ledger);
  j->ledger = again;
  wire_free(&wire);
  return good;
}

bool jobs_go_on(struct jobs *j, int *status) {
  const struct journal_reader reader = {begin, gave, took_back, report,
                                        j->front != NULL ? front : NULL};
  j->before.file = j->options->go_on;
  if (!journal_read(j->journal.program, j->options->go_on, j->identity, &reader, j, status))
    return false;
  j->before.executions = j->counts.executions;
  for (size_t i = 0; i < j->defects->count; i++)
    j->defects->items[i].before = j->defects->items[i].count;
  if (open_all(j)) return true;
  cli_say(stderr, "%s: %s: no memory", cli_program_name(j->journal.program), j->options->go_on);
  *status = CLI_STOPPED;
  return false;
}
