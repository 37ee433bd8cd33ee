/* Atomic objects that plain accesses find, and pages that several threads use. */
#ifndef NATIVE_PRELOAD_WORDS_H
#define NATIVE_PRELOAD_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

struct object;

/* In the worker, in front of everything that is patched; false: there is no memory for it. */
bool words_prepare(void);
/* An exploration begins, with all that is known by now. */
void words_begin(void);
/* Memory that nobody writes to. */
void words_free(uint64_t low, uint64_t high);
/* Whether plain accesses are watched. */
bool words_watched(void);
/* Whether an access of the thread that calls may be anything but its own affair. */
bool words_pages(uint64_t address, uint64_t size);
/* The atomic objects that have one of them, whether or not this execution used them. */
void words_each(uint64_t address, uint64_t size,
                void (*visit)(uint64_t address, uint32_t size, uint64_t place), uint64_t place);
/* Some bytes are one, when the exploration has begun again; at most eight. */
void words_learn(uint64_t address, uint64_t size);
/* How many of control->words this exploration uses. */
uint32_t words_known(void);
/* In a replay: those that the schedule has, or else names. */
void words_learn_schedule(const unf_schedule *schedule);

#endif
