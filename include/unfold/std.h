/**
 * @file
 * Traces in the STD format, in which detectors of data races such as RAPID take executions: a line
 * for each step, `thread|operation(operand)|place`. doc/formats.md says which operations there are,
 * what becomes of them here, and what is lost in each direction.
 */
#ifndef UNFOLD_STD_H
#define UNFOLD_STD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/configuration.h>
#include <unfold/export.h>
#include <unfold/output.h>
#include <unfold/race.h>
#include <unfold/schedule.h>

UNF_BEGIN_DECLS

/** Writes the steps of a schedule as a trace; the place of a step is its number, from 1. Errors:
 * UNF_WRITE, UNF_MEMORY, UNF_LIMIT. O(size). */
UNF_API unf_status unf_std_write(const unf_schedule *schedule, unf_write write, void *user);

/** A trace that is being written, by one who knows more about an execution than a schedule does:
 * accesses to memory, and places. */
typedef struct unf_std_writer unf_std_writer;

/** Begins a trace of steps over an unfolding, which must outlive the writer. *out is owned by the
 * caller. Errors: UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_std_writer_new(unf_unfolding *unfolding, unf_write write, void *user,
                                      unf_std_writer **out);

/** Frees a writer, and drops what unf_std_writer_end() would have written; NULL does nothing.
 * O(1). */
UNF_API void unf_std_writer_free(unf_std_writer *writer);

/** Adds a step, which was performed at a place of the program. Errors: UNF_UNKNOWN, UNF_INVALID,
 * UNF_WRITE (also ever after a write that failed), UNF_MEMORY, UNF_LIMIT. O(length). */
UNF_API unf_status unf_std_writer_step(unf_std_writer *writer, const unf_action *action,
                                       uint64_t place);

/** Adds an access that was made after the steps and accesses so far. Errors: UNF_UNKNOWN,
 * UNF_WRITE, UNF_MEMORY. O(length). */
UNF_API unf_status unf_std_writer_access(unf_std_writer *writer, const unf_access *access);

/** Writes what is left; to be called at the end of the trace. Errors: UNF_WRITE, and what an
 * earlier call failed with. O(1). */
UNF_API unf_status unf_std_writer_end(unf_std_writer *writer);

/** What reads and writes of a trace are. */
typedef enum unf_std_memory {
  /** Plain accesses between events: those that nothing else orders are data races. */
  UNF_STD_ACCESSES = 0,
  /** Accesses, of which those of one variable are told apart by thread alone, not by place: at
   * most one race for each variable. */
  UNF_STD_VARIABLES = 1,
  /** Events: loads and stores of a location, in the order of the trace. */
  UNF_STD_EVENTS = 2,
  UNF_STD_MEMORY_COUNT
} unf_std_memory;

/** Initialise with UNF_STD_OPTIONS_INIT. */
typedef struct unf_std_options {
  uint32_t size;         /**< sizeof(unf_std_options) */
  unf_std_memory memory; /**< what reads and writes are (UNF_STD_ACCESSES) */
} unf_std_options;

/** The defaults. */
#define UNF_STD_OPTIONS_INIT                                                                       \
  { sizeof(unf_std_options), UNF_STD_ACCESSES }

/** A trace that was read: a configuration, what its names are, and its data races. */
typedef struct unf_std unf_std;

/** How much there is in a trace. */
typedef struct unf_std_counts {
  uint64_t lines;     /**< all; the sum of the next three */
  uint64_t events;    /**< that are events of the configuration */
  uint64_t accesses;  /**< reads and writes that are accesses */
  uint64_t without;   /**< that order nothing: marks, and locks that the thread holds already */
  uint64_t threads;   /**< different ones */
  uint64_t locks;     /**< different ones */
  uint64_t variables; /**< different ones */
  uint64_t places;    /**< different ones */
  uint64_t races;     /**< data races found; 0 with UNF_STD_EVENTS */
} unf_std_counts;

/** What a name belongs to, and by which number it is asked for. */
typedef enum unf_std_name_kind {
  UNF_STD_THREAD = 0,   /**< the handle of the thread */
  UNF_STD_LOCK = 1,     /**< the key of the mutex, see unf_object_describe() */
  UNF_STD_VARIABLE = 2, /**< address / 8 of an access; the key of the location */
  UNF_STD_PLACE = 3,    /**< unf_access.place; with UNF_STD_VARIABLES that is the variable */
  UNF_STD_NAME_COUNT
} unf_std_name_kind;

/**
 * Reads a trace. Its threads, mutexes and locations are named in the unfolding in the order in
 * which they come first in the trace (a thread that is forked as a child of its parent, others as
 * children of ⊥, running from the start), and each line that is an event is interned, with the
 * number of the line as its cookie. The unfolding must not have events, except those of traces of
 * the same program. options may be NULL. *out is owned by the caller and must be freed before the
 * unfolding.
 *
 * Errors: UNF_FORMAT (a line is malformed, or cannot come after those before it: a lock that
 * another thread holds, a release without an acquire, a thread that is forked after it was there,
 * or acts after it was joined), UNF_UNSUPPORTED (an operation that is not known); detail: step =
 * line, place = column. UNF_STATE (the unfolding has events), UNF_INVALID, UNF_NONDETERMINISM
 * (events of another program), UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED. O(size + threads · events),
 * and for accesses the cost of unf_races_access(), with a clock of all threads for each that makes
 * some.
 */
UNF_API unf_status unf_std_read(unf_unfolding *unfolding, const unf_std_options *options,
                                const char *text, size_t size, unf_std **out);

/** Frees a trace; its events stay interned. NULL does nothing. O(bytes held). */
UNF_API void unf_std_free(unf_std *std);

/** The configuration of all events of a trace; it belongs to the trace. O(1). */
UNF_API const unf_configuration *unf_std_configuration(const unf_std *std);

/** The detector that holds the races of a trace, for unf_races_get(); it belongs to the trace. NULL
 * with UNF_STD_EVENTS. O(1). */
UNF_API const unf_races *unf_std_races(const unf_std *std);

/** How much there is in a trace. O(1). */
UNF_API void unf_std_counts_get(const unf_std *std, unf_std_counts *out);

/** The event of a line, counted from 1; UNF_EVENT_NONE: the line is none. Error: UNF_UNKNOWN (no
 * such line). O(1). */
UNF_API unf_status unf_std_event(const unf_std *std, uint64_t line, unf_event *out);

/** The name that something has in a trace; valid as long as the trace. NULL: there is no such
 * thing. O(1). */
UNF_API const char *unf_std_name(const unf_std *std, unf_std_name_kind kind, uint64_t number);

UNF_END_DECLS

#endif
