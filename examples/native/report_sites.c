/* Read-modify-writes of code without callbacks: how many there are. */
#include "report_sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <text.h>

#include "control.h"
#include "control/modules.h"
#include "control/texts.h"
#include "lines.h"
#include "report_unseen.h"

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

static uint64_t moves(const struct control *control, uint64_t *traps) {
  uint64_t count = 0;
  *traps = 0;
  for (uint32_t i = 0; i < control->module_count; i++) {
    count += control->modules[i].sites.moves;
    *traps += control->modules[i].sites.moves_trapped;
  }
  return count;
}

enum { BUSIEST = 10 };

/* Those with most events, the first one first; how many there are. */
static unsigned busiest(const struct control *control, struct busy_place places[BUSIEST]) {
  unsigned count = 0;
  for (uint32_t i = 0; i < BUSIEST_SLOTS; i++) {
    struct busy_place place = control->busiest[i];
    unsigned at = count;
    if (place.events == 0) continue;
    while (at > 0 && places[at - 1].events < place.events)
      at--;
    if (at == BUSIEST) continue;
    if (count < BUSIEST) count++;
    memmove(&places[at + 1], &places[at], (count - 1 - at) * sizeof *places);
    places[at] = place;
  }
  return count;
}

/* A place as --quiet takes it, whether or not it has a line. */
static void code_of(const struct control *control, uint64_t place, char *text, size_t size) {
  text[0] = '\0';
  for (uint32_t i = 0; i < control->module_count; i++) {
    const struct module *m = &control->modules[i];
    if (place > m->low && place <= m->high)
      snprintf(text, size, "%.*s+0x%" PRIx64, NAME_SIZE, module_short_name(m), place - 1 - m->base);
  }
}

static void report_busiest(const struct control *control) {
  struct busy_place places[BUSIEST];
  const unsigned count = busiest(control, places);
  if (count > 0) puts("  places of atomic objects with most events:");
  for (unsigned i = 0; i < count; i++) {
    char code[2 * NAME_SIZE + 32];
    const char *line = line_of(control, places[i].place);
    code_of(control, places[i].place, code, sizeof code);
    const bool same = line == NULL || strcmp(line, code) == 0;
    cli_say(stdout, "    %llu at %s%s%s", (unsigned long long)places[i].events, same ? code : line,
            same ? "" : ", ", same ? "" : code);
  }
}

static json_t *busiest_json(const struct control *control) {
  struct busy_place places[BUSIEST];
  const unsigned count = busiest(control, places);
  json_t *list = json_array();
  for (unsigned i = 0; i < count; i++) {
    char code[2 * NAME_SIZE + 32];
    code_of(control, places[i].place, code, sizeof code);
    json_array_append_new(list,
                          json_pack("{s:o, s:o, s:I}", "place",
                                    cli_json_text(line_of(control, places[i].place)), "code",
                                    cli_json_text(code), "events", (json_int_t)places[i].events));
  }
  return list;
}

void report_sites(const struct control *control) {
  uint64_t traps;
  if (!control->settings.sites) return;
  if (control->sites_off[0] != '\0') {
    printf("  read-modify-writes were not seen: %s\n", control->sites_off);
    return;
  }
  printf("  read-modify-writes: %u of %llu places were reached\n", control->sites_met,
         (unsigned long long)places(control, &traps));
  if (moves_seen(control))
    printf("  loads and stores: %llu places; %u parts of memory were of several threads\n",
           (unsigned long long)moves(control, &traps), control->word_count);
  const char *place = line_of(control, control->wait_place);
  if (control->waits > 0)
    cli_say(stdout, "  loops that only read were explored as waits, as at %s",
            place != NULL ? place : "?");
  place = line_of(control, control->callback_place);
  if (control->sites_in_callbacks > 0)
    cli_say(stdout,
            "  %u places were reached in a function that the C library called, where it may not "
            "expect to be stopped: %s",
            control->sites_in_callbacks, place != NULL ? place : "?");
  report_busiest(control);
}

json_t *report_sites_json(const struct control *control) {
  const bool on = sites_seen(control);
  const char *why = control->sites_off[0] != '\0' ? control->sites_off : control->settings.lowered;
  uint64_t traps, move_traps;
  const uint64_t count = places(control, &traps), move_count = moves(control, &move_traps);
  return json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "level",
                   moves_seen(control) ? "all"
                   : on                ? "rmw"
                                       : "off",
                   "off_because", cli_json_text(why[0] != '\0' ? why : NULL), "places",
                   (json_int_t)count, "traps", (json_int_t)traps, "reached",
                   (json_int_t)control->sites_met, "in_callbacks",
                   (json_int_t)control->sites_in_callbacks, "moves", (json_int_t)move_count,
                   "move_traps", (json_int_t)move_traps, "shared", (json_int_t)control->word_count,
                   "waits", (json_int_t)control->waits, "waits_bounded",
                   (json_int_t)control->waits_bounded, "busiest", busiest_json(control));
}
