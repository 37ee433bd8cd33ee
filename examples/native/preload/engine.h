/* Who says what happens next: the explorer, or a schedule. */
#ifndef NATIVE_PRELOAD_ENGINE_H
#define NATIVE_PRELOAD_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

struct thread;

bool engine_new(void);
unf_unfolding *engine_unfolding(void);
/* NULL, or what is wrong with the operation, which was not taken. */
const char *engine_offer(struct thread *t);
unf_step engine_step(void);
/* Steps of the replay so far. */
uint64_t engine_performed(void);
void engine_commit(uint64_t place);
/* The event of the last step. */
unf_event engine_last(void);
/* Whether an event is another one or one of its causes. */
bool engine_precedes(unf_event a, unf_event b);
/* The events of the execution so far. */
void engine_path(unf_event_visitor visit, void *user);
bool engine_next(uint64_t *number);
/* Behind an execution and what is performed again of it. */
void engine_between(void);
/* Whether the current execution is one for the estimate, of which nothing is reported. */
bool engine_probes(void);
/* The verdict also when this was stopped by a limit. */
unf_status engine_finish(bool error, unf_verdict *verdict);
/* Ends the exploration unless the status is UNF_OK. */
void engine_must(unf_status status);
void engine_counts(void);
void engine_thread(char *text, size_t size, unf_thread name);
/* In a replay, the events behind which a thread is blocked: the first halves of the fingerprints of
 * at most so many. Returns how many there are; 0: it is not blocked, or that is not known. */
uint32_t engine_blocked(unf_thread thread, uint64_t *events, uint32_t most, bool *left);
/* The name of the trace of the last execution, see least.h; of a probe it is the greatest. */
void engine_run_name(uint64_t name[2]);
/* The number of a schedule of the last execution, which is written: that which a file has that can
 * go, or the next one; 0: it could not be. What was found is reported without it then. */
unsigned engine_run_schedule(unsigned number);
/* That which was written so of the last execution; 0: none. */
unsigned engine_run_written(void);
void engine_drop_schedule(unsigned number);
/* As for a run, of events in their order. */
unsigned engine_order_schedule(const unf_event *events, uint64_t count);
/* Writes them in place of a schedule. False: it could not be. */
bool engine_order_again(unsigned number, const unf_event *events, uint64_t count);
/* Why a file was not written. */
void engine_explain(char *text, size_t size, unf_status status, int reason);
/* Writes the exploration; an execution at hand is dropped. */
unf_status engine_write(unf_write write, void *user);

#endif
