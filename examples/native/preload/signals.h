/* Signals that a failing thread causes. */
#ifndef NATIVE_PRELOAD_SIGNALS_H
#define NATIVE_PRELOAD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

bool signal_of_failure(int number);
/* Whether the program's own handler was called. */
bool signal_passed_on(int number, siginfo_t *information, void *machine);

#endif
