/* Read-modify-writes of code without callbacks: how many there are, and by name what of them could
 * not be seen. */
#include "report_sites.h"

#include "lines.h"

#include <stdio.h>
#include <string.h>
#include <text.h>

enum { UNSEEN_MAX = 5 };

struct unseen {
  const char *why; /* in JSON */
  const char *format;
  uint32_t count;
};

/* Of one module; how many kinds there are. */
static unsigned unseen_of(const struct module_sites *s, struct unseen unseen[UNSEEN_MAX]) {
  unsigned n = 0;
  if (!s->searched) return 0;
  if (!s->readable) unseen[n++] = (struct unseen){"unreadable", "%s could not be searched", 1};
  if (s->outside > 0 && s->functions == 0)
    unseen[n++] = (struct unseen){
        "no functions", "%s does not say where its functions are (%u places look like it)",
        s->outside};
  else if (s->outside > 0)
    unseen[n++] = (struct unseen){"outside functions",
                                  "%s: %u places that are in no function, or are data", s->outside};
  if (s->functions_left > 0)
    unseen[n++] =
        (struct unseen){"not decoded", "%s: %u functions that were not decoded", s->functions_left};
  if (s->left > 0)
    unseen[n++] = (struct unseen){"left", "%s: %u places that could not be changed", s->left};
  return n;
}

static const char *short_name(const struct module *m) {
  const char *slash = strrchr(m->path, '/');
  return slash != NULL ? slash + 1 : m->path;
}

/* *traps: those of them that raise a signal each time. */
static uint64_t places(const struct control *control, uint64_t *traps) {
  uint64_t count = 0;
  *traps = 0;
  for (uint32_t i = 0; i < control->module_count; i++) {
    count += control->modules[i].sites.patched;
    *traps += control->modules[i].sites.trapped;
  }
  return count;
}

void report_sites(const struct control *control) {
  struct unseen unseen[UNSEEN_MAX];
  char text[TEXT_SIZE];
  uint64_t traps;
  if (!control->settings.sites) return;
  if (control->sites_off[0] != '\0') {
    printf("  read-modify-writes were not seen: %s\n", control->sites_off);
    return;
  }
  printf("  read-modify-writes: %u of %llu places were reached\n", control->sites_met,
         (unsigned long long)places(control, &traps));
  for (uint32_t i = 0; i < control->module_count; i++) {
    const unsigned count = unseen_of(&control->modules[i].sites, unseen);
    for (unsigned j = 0; j < count; j++) {
      snprintf(text, sizeof text, unseen[j].format, short_name(&control->modules[i]),
               unseen[j].count);
      cli_say(stdout, "  not seen: %s", text);
    }
  }
  if (control->modules_left)
    puts("  not seen: modules that were loaded later (with --mode fork they are)");
  else if (control->modules_later)
    puts("  not seen: what modules that were loaded later did up to the next operation");
  if (control->code_later) puts("  not seen: code that the program made itself");
  if (control->modules_unlisted > 0)
    printf("  not seen: %u modules for which there was no room\n", control->modules_unlisted);
  const char *place = line_of(control, control->callback_place);
  if (control->sites_in_callbacks > 0)
    cli_say(stdout,
            "  %u places were reached in a function that the C library called, where it may not "
            "expect to be stopped: %s",
            control->sites_in_callbacks, place != NULL ? place : "?");
}

static void add_unseen(json_t *list, const char *module, const char *why, uint32_t count) {
  json_array_append_new(list, json_pack("{s:o, s:s, s:I}", "module", cli_json_text(module), "why",
                                        why, "count", (json_int_t)count));
}

json_t *report_sites_json(const struct control *control) {
  struct unseen unseen[UNSEEN_MAX];
  const bool on = control->settings.sites && control->sites_off[0] == '\0';
  json_t *list = json_array();
  uint64_t traps;
  const uint64_t count = places(control, &traps);
  for (uint32_t i = 0; on && i < control->module_count; i++) {
    const unsigned kinds = unseen_of(&control->modules[i].sites, unseen);
    for (unsigned j = 0; j < kinds; j++)
      add_unseen(list, control->modules[i].path, unseen[j].why, unseen[j].count);
  }
  if (on && control->modules_left) add_unseen(list, NULL, "loaded later, left", 1);
  if (on && control->modules_later && !control->modules_left)
    add_unseen(list, NULL, "loaded later", 1);
  if (on && control->code_later) add_unseen(list, NULL, "code made later", 1);
  if (on && control->modules_unlisted > 0)
    add_unseen(list, NULL, "no room", control->modules_unlisted);
  return json_pack("{s:s, s:s?, s:I, s:I, s:I, s:I, s:o}", "level", on ? "rmw" : "off",
                   "off_because", control->sites_off[0] != '\0' ? control->sites_off : NULL,
                   "places", (json_int_t)count, "traps", (json_int_t)traps, "reached",
                   (json_int_t)control->sites_met, "in_callbacks",
                   (json_int_t)control->sites_in_callbacks, "unseen", list);
}
