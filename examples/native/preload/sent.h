/* Signals that threads send to each other. */
#ifndef NATIVE_PRELOAD_SENT_H
#define NATIVE_PRELOAD_SENT_H

#include <signal.h>

void signals_blocked(int how, const sigset_t *set);

#endif
