/* Signals that threads send to each other and to themselves. */
#ifndef NATIVE_PRELOAD_SENT_H
#define NATIVE_PRELOAD_SENT_H

#include <signal.h>
#include <stdint.h>

void signals_blocked(int how, const sigset_t *set);
/* As the system calls kill and tkill; an error is negative. */
int signal_process(int process, int number, uint64_t place);
int signal_thread(int thread, int number, uint64_t place);

#endif
