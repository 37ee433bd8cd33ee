/* Threads and what they wait for, as text. */
#ifndef MODEL_BLOCKED_H
#define MODEL_BLOCKED_H

#include "model.h"

enum { NAME_SIZE = 300, TEXT_SIZE = 600 };
/* Name of an object or thread as in the language. */
void describe_name(const struct session *s, enum symbol_kind kind, uint32_t element,
                   char buffer[NAME_SIZE]);
/* What a thread is about to do, such as "lock(q[2])"; always terminated. */
void describe_intent(const struct session *s, const struct intent *intent, char *buffer,
                     size_t size);
/* FILE:LINE:COL; of a long name of a file the end. */
void describe_place(const struct session *s, struct place place, char *buffer, size_t size);
/* A thread in a defect: where it stands in a state, what it holds and waits for.
 * NULL: no memory. */
json_t *describe_thread(const struct session *s, const int64_t *state, uint32_t thread);
/* A cycle of threads that wait for each other, as text; empty if there is none. */
void describe_cycle(const struct session *s, const int64_t *state, char *buffer, size_t size);

#endif
