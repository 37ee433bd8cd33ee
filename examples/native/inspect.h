/* Where a program is that has not come to the preloaded library yet, as in a constructor of another
 * one. */
#ifndef NATIVE_INSPECT_H
#define NATIVE_INSPECT_H

#include <sys/types.h>

struct control;

/* Writes it down as the answer to "where are you", with its module. False: it cannot be found out.
 */
void inspect(struct control *control, pid_t process);

#endif
