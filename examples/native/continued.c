/* A saved exploration of a program: JSON in front, the block that launcher and program shared, and
 * the explorer, which the program reads itself. Nothing that is read is believed. */
#include "continued.h"

#include <report.h>
#include <session.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <text.h>

#include "control.h"
#include "control/carried.h"
#include "control/findings.h"
#include "control/learned.h"
#include "control/modules.h"
#include "control/object_kinds.h"
#include "control/races.h"
#include "control/saved.h"
#include "earlier.h"

/* ---- what must be the same ---- */

/* Of the bytes of a file. */
static bool hash_file(const char *path, char text[17]) {
  int status;
  size_t size;
  char *bytes = cli_read_file(CLI_NATIVE, path, &size, &status);
  if (bytes == NULL) return false;
  cli_hash_text(bytes, size, text);
  free(bytes);
  return true;
}

static bool refuse(const char *path, const char *what) {
  cli_say(stderr, "unfold: %s: %s", path, what);
  return false;
}

/* ---- the block ---- */

struct block_reading {
  FILE *file;
  uint64_t hash;
  bool good;
};

static void get(struct block_reading *r, void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  r->good = r->good && fread(bytes, 1, size, r->file) == size;
  if (!r->good) memset(bytes, 0, size);
  for (size_t i = 0; i < size; i++)
    r->hash = (r->hash ^ byte[i]) * UINT64_C(0x100000001b3);
}

static void get_part(struct block_reading *r, const struct saved_part *part) {
  const size_t size = (size_t)(part->to - part->from);
  uint64_t at = 0;
  memset(part->from, 0, size);
  for (get(r, &at, sizeof at); r->good && at != UINT64_MAX; get(r, &at, sizeof at)) {
    r->good = at < size && at % SAVED_PIECE == 0;
    if (r->good) get(r, part->from + at, size - at < SAVED_PIECE ? size - at : SAVED_PIECE);
  }
}

#define END_TEXT(array) ((array)[sizeof(array) - 1] = '\0')

static bool check_finding(struct finding *f) {
  bool good = (unsigned)f->kind <= FINDING_REORDERED && f->involved_count <= INVOLVED_MAX;
  if (f->kind == FINDING_MISUSE) good = good && f->number >= 0 && f->number < MISUSES;
  END_TEXT(f->text);
  for (uint32_t i = 0; good && i < f->involved_count; i++) {
    struct involved *v = &f->involved[i];
    good = v->held_count <= HELD_MAX && (unsigned)v->kind < OBJECT_KINDS;
    END_TEXT(v->name);
    END_TEXT(v->operation);
    END_TEXT(v->target);
    END_TEXT(v->owner);
    END_TEXT(v->value);
    for (uint32_t j = 0; good && j < v->held_count; j++) {
      good = (unsigned)v->held[j].kind < OBJECT_KINDS;
      END_TEXT(v->held[j].name);
    }
  }
  return good;
}

/* What is looked at by its number, or as text. */
static bool check_known(struct control *c) {
  bool good = c->range_count <= RANGES_MAX && c->word_count <= WORDS_MAX &&
              c->quiet_count <= QUIET_MAX && c->init_count <= INITS_MAX &&
              c->acquire_count <= ACQUIRES_MAX;
  for (uint32_t i = 0; good && i < c->range_count; i++)
    END_TEXT(c->ranges[i].creator);
  for (uint32_t i = 0; good && i < c->word_count; i++) {
    END_TEXT(c->words[i].owner);
    good = (unsigned)c->words[i].where <= WORD_ANYWHERE;
  }
  for (uint32_t i = 0; good && i < c->quiet_count; i++)
    END_TEXT(c->quiet[i].module);
  for (uint32_t i = 0; good && i < c->init_count; i++)
    END_TEXT(c->inits[i].creator);
  for (uint32_t i = 0; good && i < c->acquire_count; i++)
    good = c->acquires[i].module < MODULES_MAX;
  return good;
}

static bool check_found(struct control *c) {
  bool good = c->module_count <= MODULES_MAX && c->finding_count <= FINDINGS_MAX;
  END_TEXT(c->apart_call);
  for (uint32_t i = 0; good && i < c->module_count; i++)
    END_TEXT(c->modules[i].path);
  for (uint32_t i = 0; good && i < c->finding_count; i++)
    good = check_finding(&c->findings[i]);
  for (uint64_t i = 0; good && i < c->races_found && i < RACES_MAX; i++) {
    END_TEXT(c->races[i].access[0].thread);
    END_TEXT(c->races[i].access[1].thread);
    END_TEXT(c->races[i].region);
  }
  return good;
}

bool continued_check(struct control *known, struct control *found) {
  return check_known(known) && check_known(found) && check_found(found);
}

static bool read_block(struct control *control, FILE *file, double *seconds) {
  struct block_reading r = {file, UINT64_C(0xcbf29ce484222325), true};
  const struct saved_part parts[] = SAVED_PARTS(control);
  char magic[sizeof SAVED_BLOCK - 1];
  uint64_t sizes[2], hash;
  get(&r, magic, sizeof magic);
  get(&r, sizes, sizeof sizes);
  get(&r, seconds, sizeof *seconds);
  r.good = r.good && memcmp(magic, SAVED_BLOCK, sizeof magic) == 0;
  for (int i = 0; i < 2 && r.good; i++) {
    r.good = sizes[i] == (uint64_t)(parts[i].to - parts[i].from);
    if (r.good) get_part(&r, &parts[i]);
  }
  const uint64_t sum = r.hash;
  get(&r, &hash, sizeof hash);
  return r.good && hash == sum && check_known(control) && check_found(control);
}

/* ---- going on ---- */

static void carry(struct control *control, double seconds) {
  struct carried *c = &control->carried;
  c->any = true;
  c->modules = control->modules_sum;
  c->seconds = seconds;
  c->executions = control->counts.executions;
#define CARRY(type, field) c->field = control->field;
  CARRIED(CARRY)
#undef CARRY
  memcpy(c->apart_call, control->apart_call, sizeof c->apart_call);
  memcpy(c->sites_seen, control->sites_seen, sizeof c->sites_seen);
  memcpy(c->busiest, control->busiest, sizeof c->busiest);
  c->import_count = control->import_count;
  memcpy(c->imports, control->imports, sizeof c->imports);
  c->finding_count = control->finding_count;
  memcpy(c->findings, control->findings, sizeof c->findings);
  c->races_found = control->races_found;
  for (uint64_t i = 0; i < c->races_found && i < RACES_MAX; i++)
    c->races[i] = control->races[i];
}

static bool take_over(struct continued *continued, struct control *control, const char *file,
                      struct cli_saved *saved, struct cli_defects *earlier) {
  const size_t found = offsetof(struct control, outcome);
  double seconds = 0;
  if (!cli_saved_defects_read(earlier, json_object_get(saved->known, "defects")))
    return refuse(file, "what was found cannot be read");
  if (!read_block(control, saved->file, &seconds)) {
    char line[80];
    snprintf(line, sizeof line, "in what begins at byte %llu: the file is damaged or cut off",
             (unsigned long long)saved->behind);
    return refuse(file, line);
  }
  control->settings.image = (uint64_t)ftello(saved->file);
  carry(control, seconds);
  earlier_continue(control);
  memset((char *)control + found, 0, sizeof *control - found);
  continued->before = (struct cli_before){
      file, (uint64_t)json_integer_value(json_object_get(saved->known, "times")) + 1,
      control->carried.executions, seconds};
  return true;
}

bool continued_open(struct continued *continued, struct control *control,
                    const struct cli_options *options, const char *path,
                    struct cli_defects *earlier) {
  struct cli_saved saved;
  char hash[17];
  int status = CLI_CLEAN;
  *continued = (struct continued){.identity = NULL, .earlier = earlier};
  if (options->save == NULL && options->go_on == NULL) return true;
  if (!hash_file(path, hash)) return false;
  continued->identity = cli_saved_identity(CLI_NATIVE, options, hash, 1);
  if (continued->identity == NULL) return refuse("--save", "no memory");
  continued->journal = options->go_on != NULL && cli_shares(options);
  if (options->go_on == NULL || continued->journal) return true;
  bool good = cli_saved_open(&saved, CLI_NATIVE, options->go_on, continued->identity, &status) &&
              take_over(continued, control, options->go_on, &saved, earlier);
  cli_saved_close(&saved);
  return good;
}

bool continued_head(struct continued *continued, struct control *control,
                    const struct cli_defects *earlier) {
  if (control->settings.save[0] == '\0') return true;
  json_t *known = json_pack("{s:I, s:o}", "times", (json_int_t)continued->before.times, "defects",
                            cli_saved_defects(earlier));
  size_t size = 0;
  char *head = known != NULL ? cli_saved_head(continued->identity, known, &size) : NULL;
  json_decref(known);
  if (head == NULL) return refuse("--save", "no memory");
  bool fits = size <= sizeof control->saved_head;
  if (fits) memcpy(control->saved_head, head, size);
  free(head);
  control->saved_head_size = fits ? (uint32_t)size : 0;
  control->began = cli_now();
  return fits || refuse("--save", "too much was found to be saved");
}

void continued_close(struct continued *continued) {
  json_decref(continued->identity);
}
