/* What is done when a signal comes: as the program believes, and by us. */
#ifndef NATIVE_PRELOAD_SIGNALS_H
#define NATIVE_PRELOAD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* In front of main. */
void signals_catch(void);
/* What the program believes to be done. */
void signal_action(int number, struct sigaction *action);
/* Whether the program's own handler was called. */
bool signal_passed_on(int number, siginfo_t *information, void *machine);

#endif
