/*
 * Gates: what blocks. All that somebody can wait for has one, an atomic that is GATE_HELD while
 * somebody is inside, and else says whether one can read. To enter is to exchange it, as soon as
 * nobody is inside or, for whoever waits, as soon as one can read; to leave is to write it. So the
 * uses of a gate are ordered, each order is one execution, and a wait for what is not there is no
 * event.
 */
#ifndef GATES_H
#define GATES_H

#include "library.h"

enum { GATE_HELD, GATE_EMPTY, GATE_READY };

struct watch;

struct gate {
  int state;
  bool outside; /* who makes it ready is no thread of the program */
  bool readable, writable;
  bool only_end;    /* all that can be read is the end, which poll() does not call POLLIN */
  unsigned also[2]; /* what poll() says besides, of reading and of writing */
  struct watch *watches;
};

void __env_enter(struct gate *gate);
/* Waits until one can read. */
void __env_await(struct gate *gate);
/* Tells whoever watches; what can be done now is in the gate. */
void __env_leave(struct gate *gate);

#endif
