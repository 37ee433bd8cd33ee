/* What a coordinator and its workers send each other; transport.h says how. */
#ifndef COMMON_JOBS_WIRE_H
#define COMMON_JOBS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unfold/unfold.h>

enum wire_kind {
  /* To a worker: */
  WIRE_ITEM = 1, /* an item, in the library's bytes */
  WIRE_SPLIT,    /* it is to give something away: it answers with a report, if it has an item */
  WIRE_ALLOW,    /* how many executions it may have begun in all (`begun`) */
  WIRE_STOP,     /* it is to end now */
  WIRE_END,      /* there is nothing left to do */
  /* Of a worker: */
  WIRE_REPORT, /* of an item: the library's bytes, then what was found, if there is anything */
  WIRE_ASK,    /* it has begun as many executions as it may */
  WIRE_SIGN,   /* it is alive */
  WIRE_STATE,  /* bytes of a front-end, in front of the last ones */
  WIRE_LEFT    /* the last: what did not count yet; what was found; JSON */
};

/* Sums of what executions came to: those of a unf_report. X(field) */
#define WIRE_COUNTS(X)                                                                             \
  X(traces)                                                                                        \
  X(complete)                                                                                      \
  X(blocked) X(deadlocks) X(errors) X(redundant) X(executions) X(undecided) X(infeasible) X(steps)

struct wire_counts {
#define WIRE_FIELD(field) uint64_t field;
  WIRE_COUNTS(WIRE_FIELD)
#undef WIRE_FIELD
};

void wire_counts_add(struct wire_counts *counts, const unf_counts *more);

struct wire_head {
  uint32_t kind;
  uint32_t finished;   /* of a report: so is the item */
  uint32_t size, more; /* bytes behind the head: of the library or a front-end, and of what else */
  uint64_t item;
  uint64_t begun;             /* executions, in all */
  uint64_t redundant, events; /* of a worker so far */
  struct wire_counts counts;
};

/* Seconds after which a worker of several reports, whatever it is at. What it has found that
 * belongs above its items others should have before they explore that place, or they come back to
 * it again and again, in many small items; but one process reads all reports. */
double wire_report_seconds(unsigned workers);

/* Bytes that come or go. All zero is empty. */
struct wire {
  char *data;
  size_t size, room, at; /* of `size` bytes the first `at` are done with */
};

/* Room for so many bytes more; false: no memory. */
bool wire_reserve(struct wire *wire, size_t more);
/* A unf_write to a wire. */
bool wire_append(void *wire, const char *bytes, size_t size);
/* Begins a frame, and puts its head in place when what is behind it was appended. False: no memory.
 */
bool wire_begin(struct wire *wire, size_t *frame);
void wire_finish(struct wire *wire, size_t frame, struct wire_head head);
/* The frame that is next, if the wire has all of it; its bytes are valid until the next call that
 * reads. */
bool wire_next(struct wire *wire, struct wire_head *head, char **bytes);
/* Drops what is done with, and makes room for so many bytes; false: no memory. */
bool wire_tidy(struct wire *wire, size_t room);
/* Reads what there is. 0: the other end is closed; below: it cannot be read, or nothing is there
 * that does not have to be waited for. */
long wire_read(struct wire *wire, int socket);
/* Writes all, waiting where it has to. False: the other end is closed. */
bool wire_write(struct wire *wire, int socket);
void wire_free(struct wire *wire);

/* A unf_read of bytes in memory. */
struct wire_bytes {
  const char *data;
  size_t size, at;
};
bool wire_take(void *bytes, void *to, size_t size, size_t *got);

#endif
