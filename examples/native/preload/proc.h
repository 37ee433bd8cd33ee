/* Paths in /proc, where processes and threads are folders with their numbers as names. */
#ifndef NATIVE_PRELOAD_PROC_H
#define NATIVE_PRELOAD_PROC_H

struct numbered_call;

/* A call with a path, before and after it is performed. */
void proc_enter(struct numbered_call *call);
long proc_leave(const struct numbered_call *call, long result);

#endif
