/* Data races in the form that people and machines read. */
#ifndef NATIVE_REPORT_RACES_H
#define NATIVE_REPORT_RACES_H

#include "control.h"

#include <defect.h>

/* Adds every data race, one entry for each pair of lines. False: no memory. */
bool report_races(const struct control *control, struct cli_defects *defects);

#endif
