/*
 * Defects: what an exploration found, one entry for each kind and set of places, with a count. How
 * an entry looks is kept as JSON from the start; the human summary is written from the same.
 */
#ifndef COMMON_DEFECT_H
#define COMMON_DEFECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "least.h"

/* X(CONSTANT, "name", "how a person calls it") */
#define CLI_KIND_TABLE(X)                                                                          \
  X(CLI_DEADLOCK, "deadlock", "deadlock")                                                          \
  X(CLI_ASSERTION, "assertion", "failed assertion")                                                \
  X(CLI_RUNTIME, "runtime", "run-time error")                                                      \
  X(CLI_UNDEFINED, "undefined", "undefined behaviour")                                             \
  X(CLI_CRASH, "crash", "crash")                                                                   \
  X(CLI_EXIT, "exit", "unexpected exit status")                                                    \
  X(CLI_MISUSE, "misuse", "misuse of an object")                                                   \
  X(CLI_RACE, "race", "data race")                                                                 \
  X(CLI_LIVELOCK, "livelock", "livelock")                                                          \
  X(CLI_REORDERED, "reordered", "difference between two orders of one trace")                      \
  X(CLI_MEMORY, "memory", "memory error")

enum cli_kind {
#define CLI_KIND_ENUM(constant, name, words) constant,
  CLI_KIND_TABLE(CLI_KIND_ENUM)
#undef CLI_KIND_ENUM
      CLI_KIND_COUNT
};

const char *cli_kind_name(enum cli_kind kind);
/* CLI_KIND_COUNT if there is none of that name. */
enum cli_kind cli_kind_find(const char *name);

struct cli_defect {
  enum cli_kind kind;
  uint64_t count;         /* executions that have it */
  uint64_t before;        /* of them, those of processes that this one was continued from */
  uint64_t probes;        /* executions beside these, performed as probes, that have it */
  uint64_t earlier;       /* of both, those in explorations that were begun again */
  uint64_t met;           /* a race: the last execution that has it, for who counts these */
  json_t *threads;        /* array of cli_thread() */
  char *text;             /* what happened, one line; may be NULL */
  char *schedule;         /* file name, or NULL */
  uint64_t step;          /* a replay had it after so many; else 0 */
  struct trace_name name; /* of the execution that is described, the least so far */
  uint64_t *places;       /* ascending, each once */
  size_t place_count;
  bool incomplete;   /* there was no memory for all that is known of its threads */
  json_t *shortened; /* of --shorten, see cli_defect_set_shortened(); NULL: not asked for */
  json_t *inputs; /* an object of values that lead there; null: none are known; NULL: no inputs */
};

struct cli_defects {
  struct cli_defect *items;
  size_t count, capacity;
};

/* How often something was seen. */
struct cli_seen {
  uint64_t executions, probes;
};

/*
 * The entry of this kind and set of places (any numbers that stand for source places; sorted here
 * in place), counted so much more; *fresh says whether it is new, and then threads, text and
 * schedule are to be filled in by the caller. Valid until the next call. NULL: no memory.
 */
struct cli_defect *cli_defects_see(struct cli_defects *defects, enum cli_kind kind,
                                   uint64_t *places, size_t count, struct cli_seen seen,
                                   bool *fresh);

/* Whether an execution with a name is to be described: the first one, or one that is less than that
 * which was. What was said of that goes. */
bool cli_defect_begins(struct cli_defect *defect, struct trace_name name, bool fresh);

/* Texts are copied, as cli_show() has them; false: no memory. */
bool cli_defect_set_text(struct cli_defect *defect, const char *text);
bool cli_defect_set_schedule(struct cli_defect *defect, const char *file);

/* Values of the inputs of the program, whose reference is taken. */
void cli_defect_set_inputs(struct cli_defect *defect, json_t *inputs);

/* What became of the execution of the schedule, whose reference is taken (NULL: no memory): an
 * object with `steps` and `switches`, each an object with `before`, `after` and `fewest`, or with
 * `why`. */
void cli_defect_set_shortened(struct cli_defect *defect, json_t *shortened);

/* Whether it is of this kind and set of places, which are sorted in place. */
bool cli_defect_is(const struct cli_defect *defect, enum cli_kind kind, uint64_t *places,
                   size_t count);
/* The one of the list with the same kind and places; NULL: there is none. */
const struct cli_defect *cli_defects_find(const struct cli_defects *defects,
                                          const struct cli_defect *defect);
/* Whether there is one. */
bool cli_defects_have(const struct cli_defects *defects, const struct cli_defect *defect);

/* The defect, its threads and its text, becomes the one of the same kind and places in the list, as
 * another execution shows it; that one becomes this one. False: there is none, or not all of it. */
bool cli_defect_told_as(struct cli_defect *defect, struct cli_defects *defects);

/* The exploration is begun again: what was counted so far was earlier. */
void cli_defects_earlier(struct cli_defects *defects);

void cli_defects_free(struct cli_defects *defects);

/*
 * A thread in a defect: its name, its state ("blocked", "stopped", "failed", …), the operation it
 * is at and the place of that; operation and place may be NULL. A new reference, or NULL without
 * memory, which the functions below take: cli_defect_add() then marks the defect.
 */
json_t *cli_thread(const char *thread, const char *state, const char *operation, const char *place);
/* Something that the thread holds, and where it took it (may be NULL). */
void cli_thread_holds(json_t *thread, const char *object, const char *place);
/* What the thread waits for, and which thread has it (may be NULL). */
void cli_thread_waits(json_t *thread, const char *object, const char *owner);
/* A remark on the thread. */
void cli_thread_note(json_t *thread, const char *text);
/* Appends a thread to the defect, whose reference is taken. */
void cli_defect_add(struct cli_defect *defect, json_t *thread);

/* The defects as a JSON array, a new reference; NULL without memory. */
json_t *cli_defects_json(const struct cli_defects *defects);
/* A defect for people, a few lines. */
void cli_defect_print(const struct cli_defect *defect, bool colour, FILE *to);

#endif
