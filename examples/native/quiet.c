/* What --quiet names: modules and places as the summary does. A place by its line is looked for
 * among the read-modify-writes of all modules, when the program was started once and they are
 * known; the exploration begins then. */
#include "quiet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text.h>

#include "control.h"
#include "control/marks.h"
#include "control/modules.h"
#include "control/texts.h"
#include "lines.h"

enum { ITEM_SIZE = 256, ITEMS_MAX = 64, BATCH = 200, NUMBER_SIZE = 20, OFFSETS_MAX = 1 << 16 };
enum { WORDS = 6 /* of the command, in front of the addresses */ };

/* The next of a list with commas between; NULL: there is none. */
static const char *next_item(const char *list, char *item) {
  const size_t length = strcspn(list, ",");
  if (list[0] == '\0') return NULL;
  snprintf(item, ITEM_SIZE, "%.*s", (int)length, list);
  return list + length + (list[length] == ',');
}

static bool is_line(const char *item) {
  const char *colon = strrchr(item, ':');
  return colon != NULL && colon[1] != '\0' && colon[1 + strspn(colon + 1, "0123456789")] == '\0';
}

static bool add(struct control *control, const char *module, size_t length, uint64_t offset) {
  if (control->quiet_count == QUIET_MAX || length >= NAME_SIZE) return false;
  struct quiet_place *q = &control->quiet[control->quiet_count++];
  *q = (struct quiet_place){.offset = offset};
  snprintf(q->module, sizeof q->module, "%.*s", (int)length, module);
  return true;
}

static bool add_item(struct control *control, const char *item) {
  const char *plus = strrchr(item, '+');
  char *end = NULL;
  if (is_line(item)) {
    control->quiet_lines = true;
    return true;
  }
  const uint64_t offset =
      plus != NULL && strncmp(plus, "+0x", 3) == 0 ? strtoull(plus + 1, &end, 16) : QUIET_WHOLE;
  if (end == NULL || *end != '\0') return add(control, item, strlen(item), QUIET_WHOLE);
  return add(control, item, (size_t)(plus - item), offset);
}

bool quiet_read(struct control *control, const char *list) {
  char item[ITEM_SIZE];
  for (const char *at = list; (at = next_item(at, item)) != NULL;) {
    if (add_item(control, item)) continue;
    cli_say(stderr, "unfold: --quiet %s: too long, or one too many", item);
    return false;
  }
  return true;
}

/* Which of the list a line is; ITEMS_MAX: none of them. */
static uint32_t item_of(const char *list, const char *line) {
  char item[ITEM_SIZE];
  uint32_t i = 0;
  for (const char *at = list; (at = next_item(at, item)) != NULL && i < ITEMS_MAX; i++)
    if (is_line(item) && strcmp(item, line) == 0) return i;
  return ITEMS_MAX;
}

/* The lines of a list that are looked for, and which of them are somewhere. */
struct line_search {
  struct control *control;
  const char *list;
  bool found[ITEMS_MAX];
};

/* Of one address, all lines count: that of the instruction, and those of the functions that it was
 * put into. */
static void take_lines(struct line_search *s, const struct module *m, FILE *stream) {
  char text[ITEM_SIZE];
  uint64_t offset = 0;
  bool taken = true;
  while (fgets(text, sizeof text, stream) != NULL) {
    text[strcspn(text, " \n")] = '\0';
    if (strncmp(text, "0x", 2) == 0) {
      offset = strtoull(text, NULL, 16);
      taken = false;
    } else if (!taken) {
      const uint32_t item = item_of(s->list, text);
      const char *name = module_short_name(m);
      taken = item < ITEMS_MAX && add(s->control, name, strlen(name), offset);
      if (taken) s->found[item] = true;
    }
  }
}

static void look_up(struct line_search *s, const struct module *m, const uint64_t *offsets,
                    uint32_t count) {
  char numbers[BATCH][NUMBER_SIZE];
  for (uint32_t at = 0; at < count; at += BATCH) {
    char *command[WORDS + BATCH + 1] = {"addr2line", "-a", "-s", "-i", "-e"};
    command[WORDS - 1] = (char *)(uintptr_t)m->path;
    for (uint32_t n = 0; n < BATCH && at + n < count; n++) {
      snprintf(numbers[n], NUMBER_SIZE, "0x%" PRIx64, offsets[at + n]);
      command[WORDS + n] = numbers[n];
    }
    pid_t child;
    FILE *stream = command_start(command, &child);
    if (stream == NULL) return;
    take_lines(s, m, stream);
    command_stop(stream, child);
  }
}

/* The scanner lists the read-modify-writes of a module. */
static uint32_t offsets_of(const struct control *control, const struct module *m,
                           uint64_t *offsets) {
  char *command[] = {(char *)(uintptr_t)control->settings.scanner, (char *)(uintptr_t)m->path,
                     NULL};
  char text[ITEM_SIZE];
  uint32_t count = 0;
  pid_t child;
  FILE *stream = command_start(command, &child);
  if (stream == NULL) return 0;
  while (count < OFFSETS_MAX && fgets(text, sizeof text, stream) != NULL)
    if (sscanf(text, "%" SCNx64 " %*u %*s %*u", &offsets[count]) == 1 && strchr(text, ':') == NULL)
      count++;
  command_stop(stream, child);
  return count;
}

void quiet_find_lines(struct control *control, const char *list) {
  struct line_search search = {.control = control, .list = list};
  uint64_t *offsets = malloc(OFFSETS_MAX * sizeof *offsets);
  char item[ITEM_SIZE];
  uint32_t number = 0;
  control->quiet_lines = false;
  for (uint32_t i = 0; offsets != NULL && i < control->module_count; i++) {
    const struct module *m = &control->modules[i];
    if (!m->excluded) look_up(&search, m, offsets, offsets_of(control, m, offsets));
  }
  free(offsets);
  for (const char *at = list; (at = next_item(at, item)) != NULL && number < ITEMS_MAX; number++)
    if (is_line(item) && !search.found[number])
      cli_say(stderr, "unfold: --quiet %s: no read-modify-write is there", item);
}

void quiet_complain(const struct control *control) {
  for (uint32_t i = 0; i < control->quiet_count; i++) {
    const struct quiet_place *q = &control->quiet[i];
    if (q->met) continue;
    if (q->offset == QUIET_WHOLE)
      cli_say(stderr, "unfold: --quiet %s: there is no such module", q->module);
    else
      cli_say(stderr, "unfold: --quiet %s+0x%" PRIx64 ": no place is there", q->module, q->offset);
  }
}

void quiet_of_schedule(struct control *control, const char *line) {
  char list[QUIET_TEXT], item[ITEM_SIZE];
  const char *mark = strstr(line, QUIET_MARK);
  control->quiet_count = 0;
  control->quiet_lines = false;
  if (mark == NULL) return;
  snprintf(list, sizeof list, "%s", mark + strlen(QUIET_MARK));
  list[strcspn(list, " \n")] = '\0';
  for (const char *at = list; (at = next_item(at, item)) != NULL;)
    add_item(control, item);
}
