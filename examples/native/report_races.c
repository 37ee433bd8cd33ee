/* Races as people read them. The detector reports pairs of addresses in the code; a line has many
 * of them, so the pairs are put together again by their lines. */
#include "report_races.h"

#include <stdio.h>

#include "control.h"
#include "control/races.h"
#include "control/texts.h"
#include "lines.h"
#include "reports.h"

/* Stands for a place among those of a defect. */
static uint64_t number_of(const char *text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return hash;
}

static const char *place_text(const struct control *control, uint64_t place) {
  const char *text = line_of(control, place);
  return text != NULL ? text : "unknown place";
}

void race_access_text(const struct control *control, const struct reported_race *race,
                      unsigned which, char *text, size_t size) {
  char variable[TEXT_SIZE];
  if (race->region[0] != '\0' || !symbol_of(control, race->address, variable, sizeof variable))
    snprintf(variable, sizeof variable, "%s", race->region);
  snprintf(text, size, "%s of %s", race->access[which].write ? "write" : "read", variable);
}

static void find_places(const struct control *control, const struct reported_race *race,
                        uint64_t places[2]) {
  places[0] = number_of(place_text(control, race->access[0].place));
  places[1] = number_of(place_text(control, race->access[1].place));
}

const struct reported_race *race_of(const struct control *control,
                                    const struct cli_defect *defect) {
  uint64_t places[2];
  if (defect->kind != CLI_RACE || defect->place_count == 0) return NULL;
  const uint64_t low = defect->places[0], high = defect->places[defect->place_count - 1];
  for (uint64_t i = 0; i < control->races_found && i < RACES_MAX; i++) {
    find_places(control, &control->races[i], places);
    if ((places[0] == low && places[1] == high) || (places[0] == high && places[1] == low))
      return &control->races[i];
  }
  return NULL;
}

static void add_access(const struct control *control, const struct reported_race *race,
                       unsigned which, struct cli_defect *defect) {
  const struct reported_access *access = &race->access[which];
  char operation[TEXT_SIZE + NAME_SIZE];
  race_access_text(control, race, which, operation, sizeof operation);
  cli_defect_add(
      defect, cli_thread(access->thread, "racing", operation, place_text(control, access->place)));
}

bool report_races(const struct control *control, struct cli_defects *defects) {
  for (uint64_t i = 0; i < control->races_found && i < RACES_MAX; i++) {
    const struct reported_race *race = &control->races[i];
    uint64_t places[2];
    find_places(control, race, places);
    uint64_t seen = race->count > 0 ? race->count : 1;
    bool fresh;
    struct cli_defect *defect =
        cli_defects_see(defects, CLI_RACE, places, 2, (struct cli_seen){1, 0}, &fresh);
    if (defect == NULL) return false;
    if (fresh || race->step < defect->step) defect->step = race->step;
    defect->count = !fresh && defect->count - 1 > seen ? defect->count - 1 : seen;
    if (!cli_defect_begins(defect, (struct trace_name){{race->name[0], race->name[1]}}, fresh))
      continue;
    cli_defect_set_text(defect, "nothing orders the two accesses");
    if (!report_schedule(control, race->schedule, defect)) return false;
    add_access(control, race, 0, defect);
    add_access(control, race, 1, defect);
  }
  return true;
}
