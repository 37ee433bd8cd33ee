/*
 * From the oracle's program to the library: names of threads and mutexes, operations, actions, and
 * which handle is which event.
 */
#ifndef RANDOM_BRIDGE_H
#define RANDOM_BRIDGE_H

#include <unfold/unfold.h>

#include "lattice.h"

#define REPORT_MAX 1200u

/* Families of the library's that are registered: of channels, mailboxes, and futures. */
enum { BRIDGE_FAMILIES = 3 };

/* What differs, as text for whoever has to find out why. */
typedef struct report {
  char text[REPORT_MAX];
} report;

/* Writes the text and returns false. */
bool report_fail(report *r, const char *format, ...);

typedef struct bridge {
  const program *program;
  const lattice *lattice; /* NULL if the program is too large for one */
  unf_context *context;
  unf_unfolding *unfolding;
  unf_thread *threads;  /* of each thread of the program */
  uint32_t *thread_at;  /* the thread of each handle */
  unf_event *handle_of; /* of each event of the lattice, UNF_EVENT_NONE while unknown */
  uint32_t *event_of;   /* of each handle, ORACLE_NONE while unknown */
  size_t event_capacity;
  uint32_t families[BRIDGE_FAMILIES]; /* their numbers, see bridge_families.h */
} bridge;

/* Makes an unfolding in which the i-th thread of the program is child order[i] of
 * the bottom event. */
bool bridge_open(bridge *b, const program *p, const lattice *l, const uint32_t *order,
                 uint32_t skip_step, report *r);
void bridge_close(bridge *b);

/* The object of a program by kind and number, and the round of a barrier (else 0). */
unf_object bridge_object(const bridge *b, symbol_kind kind, uint32_t number, uint32_t round);

unf_operation bridge_operation(const bridge *b, const operation *o);
unf_action bridge_action(const bridge *b, const action *a);
/* False for an action of a thread or object that the program does not have. */
bool bridge_read(const bridge *b, const unf_action *a, action *out);

/* Notes that a handle is an event; false if either is known as something else. */
bool bridge_match(bridge *b, uint32_t event_number, unf_event handle);
/* Forgets what was noted: events have other handles now. */
void bridge_renumbered(bridge *b);
/* The event of a handle or ORACLE_NONE. */
uint32_t bridge_event(const bridge *b, unf_event handle);

/* Describes the event of a handle by its action and its predecessors as the oracle numbers them. */
void bridge_text(const bridge *b, unf_event handle, char *buffer, size_t size);

/* Reports a status that should have been another, with the detail of the context. */
bool bridge_fail(const bridge *b, report *r, const char *call, unf_status status);

#endif
