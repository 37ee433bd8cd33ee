/* What is fuzzed: a reader of some format. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Reads bytes; NULL, or what went wrong. */
const char *fuzz_target(const uint8_t *bytes, size_t size);
/* Words of the format, so that mutations stay near it. */
extern const char *const fuzz_words[];
extern const unsigned fuzz_word_count;

#endif
