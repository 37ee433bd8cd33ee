/*
 * --mpi: workers on other machines, as processes that MPI began. Rank 0 keeps the ledger; each
 * other rank begins workers on its machine when it is asked to, and passes on what is said. So a
 * worker that dies costs what it was at, as with --jobs; a rank that dies takes all with it, as MPI
 * is.
 *
 * The library of MPI is loaded when it is asked for, by a module of its own, so that the programs
 * need none. Nobody spins: whoever waits asks MPI whether there is something, and sleeps.
 */
#ifndef COMMON_JOBS_RANKS_H
#define COMMON_JOBS_RANKS_H

#include <stdbool.h>

#include "transport.h"

/* What the module has. */
struct ranks_module {
  /* False: MPI does not begin. */
  bool (*begin)(int *rank, int *count);
  void (*end)(void);
  void (*abort)(int status); /* does not come back */
  /* Sends bytes, of which it keeps a copy, without waiting. False: no memory. */
  bool (*send)(int rank, int tag, const char *bytes, size_t size);
  /* Appends the next message, if there is one. False: there is none; *good unset: no memory. */
  bool (*take)(int *rank, int *tag, struct wire *to, bool *good);
  void (*go_on)(void); /* with what was sent */
};

/* Joins the others; ends with the process. Says what is wrong, and returns false. */
bool ranks_begin(enum cli_program program);
/* Which one this is, from 0 on, and how many there are. */
unsigned ranks_own(void);
unsigned ranks_count(void);
/* What all ranks but 0 do: begins workers until there is no more to be done. */
void ranks_serve(const struct worker_life *life);

extern const struct transport_kind transport_ranks;

#endif
