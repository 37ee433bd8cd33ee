/* What --quiet names. */
#ifndef NATIVE_QUIET_H
#define NATIVE_QUIET_H

#include <stdbool.h>

struct control;

/* Takes the list of the command line, which has commas between: modules, places as "MODULE+0x…", or
 * "FILE:LINE". False, with a message: one of them is too long, or there are too many. */
bool quiet_read(struct control *control, const char *list);
/* The places of all lines that it names, of the program that has just been started. */
void quiet_find_lines(struct control *control, const char *list);
/* Says which of the others are nowhere. */
void quiet_complain(const struct control *control);
/* Those of a schedule, by its second line: a replay leaves out what was left out. */
void quiet_of_schedule(struct control *control, const char *line);

#endif
