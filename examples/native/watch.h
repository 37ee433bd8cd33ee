/* The launcher beside the program: limits of time, interrupts, and threads that do not go on. */
#ifndef NATIVE_WATCH_H
#define NATIVE_WATCH_H

#include <signal.h>
#include <stdint.h>
#include <stdbool.h>
#include <sys/types.h>

struct control;

struct watched {
  double begin; /* of the exploration, by the clock */
  sigset_t signals_before;
  double work;         /* processor time of the last program, with its processes */
  uint64_t peak_bytes; /* the most memory that one of them had */
  bool interrupted;    /* an interrupt came, in this exploration or one before it */
  /* In place of a pause of a tenth of a second, or NULL; sets `stop` where the program is to end.
   */
  void (*wait)(void *user);
  void *user;
  bool stop;
};

/* Interrupts are kept from now on for watch_program(), and come to nothing afterwards. */
void watch_begin(struct watched *watched);

/* Until the child, which explores the program, has ended. */
void watch_program(struct control *control, pid_t child, struct watched *watched);

#endif
