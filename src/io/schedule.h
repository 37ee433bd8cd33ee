/* Schedules in memory, and the words of their text format (doc/formats.md). */
#ifndef IO_SCHEDULE_H
#define IO_SCHEDULE_H

#include <unfold/schedule.h>

#include "configuration/configuration.h"

#define SCHEDULE_MAGIC    "unfold-schedule "
#define SCHEDULE_VERSION  1
#define SCHEDULE_PROGRAM  "program "
#define SCHEDULE_CHECKSUM "checksum "

struct unf_schedule {
  unf_unfolding *u;
  char *program;
  size_t program_room;
  VECTOR(unf_action) steps; /* not interned: what they use may be said later (placed locations) */
};

/* As unf_schedule_new(), with a name that is not terminated. */
unf_status unfi_schedule_new(unf_unfolding *u, const char *program, size_t length,
                             unf_schedule **out);

#endif
