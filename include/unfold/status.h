/**
 * @file
 * The results of calls. Every function that can fail returns a @ref unf_status; the context keeps
 * the detail of what went wrong (see unf_context_detail()).
 */
#ifndef UNFOLD_STATUS_H
#define UNFOLD_STATUS_H

#include <unfold/export.h>

UNF_BEGIN_DECLS

/** Every status with its text: X(NAME, "text"). The enumeration and unf_status_text()
 * come from it. */
#define UNF_STATUS_TABLE(X)                                                                        \
  X(OK, "success")                                                                                 \
  X(MEMORY, "the allocator returned no memory")                                                    \
  X(LIMIT, "a limit was reached")                                                                  \
  X(INTERRUPTED, "interrupted by unf_context_interrupt()")                                         \
  X(INVALID, "an argument is not valid")                                                           \
  X(STATE, "the call is not allowed in this state")                                                \
  X(UNKNOWN, "a handle that this unfolding never gave out")                                        \
  X(CONFLICT, "the events are in conflict")                                                        \
  X(DISABLED, "the action is not possible here")                                                   \
  X(MISSING, "the next operation of a thread is not known")                                        \
  X(NONDETERMINISM, "two different operations after the same event")                               \
  X(DIVERGENCE, "the program did not do what was asked")                                           \
  X(UNSUPPORTED, "not supported")                                                                  \
  X(FORMAT, "malformed input")                                                                     \
  X(CHECKSUM, "the checksum does not match: the input is damaged or truncated")                    \
  X(WRITE, "the write callback reported a failure")                                                \
  X(BROKEN, "a structure does not satisfy its definition")                                         \
  X(READ, "the read callback reported a failure")

/** Result of a call; UNF_OK is 0. */
typedef enum unf_status {
/** @cond */
#define UNF_STATUS_ENUM(name, text) UNF_##name,
  UNF_STATUS_TABLE(UNF_STATUS_ENUM)
#undef UNF_STATUS_ENUM
  /** @endcond */
  UNF_STATUS_COUNT
} unf_status;

/** A sentence for a status, in static storage; "unknown status" for a value that is
 * not one. O(1). */
UNF_API const char *unf_status_text(unf_status status);

UNF_END_DECLS

#endif
