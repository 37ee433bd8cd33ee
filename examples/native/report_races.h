/* Data races in the form that people and machines read. */
#ifndef NATIVE_REPORT_RACES_H
#define NATIVE_REPORT_RACES_H

#include <defect.h>
#include <stdbool.h>
#include <stddef.h>

#include "control/races.h"

struct control;

/* Adds every data race, one entry for each pair of lines. False: no memory. */
bool report_races(const struct control *control, struct cli_defects *defects);

/* The race of a defect among those that were found; NULL: it is not one of them. */
const struct reported_race *race_of(const struct control *control, const struct cli_defect *defect);
/* What one of its two accesses is: "write of x". */
void race_access_text(const struct control *control, const struct reported_race *race,
                      unsigned which, char *text, size_t size);

#endif
