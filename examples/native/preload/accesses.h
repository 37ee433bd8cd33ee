/* Plain accesses of the program, and data races between them. */
#ifndef NATIVE_PRELOAD_ACCESSES_H
#define NATIVE_PRELOAD_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "interpose.h"

struct byte_span;

/* These are for the library that watches what the C library does with memory (../memory). */

/* Whether accesses by the C library matter in the current execution. */
extern INTERPOSE bool unfold_watching;
/* An access of the thread that calls. */
INTERPOSE void unfold_touched(const void *address, size_t size, bool write, uint64_t place);
/* Memory that is given back. That it becomes another one is no store to what was there. */
INTERPOSE void unfold_freed(const void *address, size_t size, uint64_t place);
/* One that reads twice: what both have is compared, or becomes one. */
INTERPOSE void unfold_read(const void *a, size_t a_size, const void *b, size_t b_size,
                           uint64_t place);
/* One that reads a text: how many bytes that were. */
INTERPOSE size_t unfold_text(const char *text, size_t most, char last, uint64_t place);
/* The name of a file, for the system, which answers with EFAULT where there is no memory. */
INTERPOSE void unfold_path(const char *path, uint64_t place);
/* Whether there is memory that can be read, as the system asks before it answers so. */
INTERPOSE bool unfold_mapped(const void *address, size_t size);
/* One of several parts of memory that one call reads: so many bytes, or a text up to its end, or
 * that byte, or so many. */
struct reading {
  const void *address;
  size_t size;
  bool text;
  char last;
};
/* All of them are read before the call goes on. The sizes of texts become what they are. */
INTERPOSE void unfold_reads(struct reading *readings, unsigned count, uint64_t place);
/* Memory that is about to be written, at most so much of it; what is written is said afterwards.
 * Whether some of it is an atomic object. */
INTERPOSE bool unfold_coming(const void *address, size_t size, uint64_t place);
/* Memory that is about to be no memory any more. */
INTERPOSE void unfold_unmapped(const void *address, size_t size, uint64_t place);
/* Whether a call there counts: only of modules whose own accesses are seen. A function that ends in
 * a call returns to where it was called itself, from the C library or from here. */
INTERPOSE bool unfold_counts(uint64_t place);
/* Memory that was allocated. */
INTERPOSE void unfold_renewed(const void *address, size_t size);

/* Whether plain accesses that callbacks tell of are watched. */
extern bool accesses_watched;
void accesses_told(const void *address, size_t size, bool write, uint64_t place);
/* As unfold_touched(), from here; and for a call that is interposed here, if it counts: in front of
 * what it reads or writes. NULL is nothing. */
void accesses_touched(const void *address, size_t size, bool write, uint64_t place);
void accesses_by_call(const void *address, size_t size, bool write, uint64_t place);
#define CALL_READS(p)  accesses_by_call((p), sizeof *(p), false, CALLER)
#define CALL_WRITES(p) accesses_by_call((p), sizeof *(p), true, CALLER)
/* Whether the accesses of a module are seen. */
bool accesses_count(uint32_t module);
/* What of an access to atomic objects is none. */
void accesses_beside(const struct byte_span *m, bool write, uint64_t place);
/* A module that was compiled with callbacks, by a place in it; may come before anything else. */
void accesses_module(uint64_t place);
/* In the worker, when the modules are known: which were compiled so. */
void accesses_modules(void);
bool accesses_new(void);
/* The execution to come, or a step of the current one. */
void accesses_begin(uint64_t shared);
void accesses_skip(void);
void accesses_step(unf_event event);
/* What was only noted of accesses before (noted.h), in front of everything that they come before.
 */
void accesses_flush(void);
/* The execution is over: writes a schedule for what is new. */
void accesses_keep(bool schedule_wanted);

#endif
