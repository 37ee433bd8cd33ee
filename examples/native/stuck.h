/* What is said about an execution that did not come to its end. */
#ifndef NATIVE_STUCK_H
#define NATIVE_STUCK_H

#include <stdbool.h>
#include <stddef.h>

struct control;

/* Why the program was stopped because a thread did not go on. */
void stuck_text(const struct control *control, char *text, size_t size);

/* Which thread goes on for ever in an execution that a limit or an interrupt stopped. False: none
 * is known to. */
bool unending_text(const struct control *control, char *text, size_t size);

#endif
