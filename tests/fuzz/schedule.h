/* One input for the schedule reader; NULL, or what is wrong with its answer. */
#ifndef FUZZ_SCHEDULE_H
#define FUZZ_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

const char *fuzz_schedule(const uint8_t *bytes, size_t size);

#endif
