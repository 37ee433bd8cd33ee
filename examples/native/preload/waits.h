/* Loops in which a thread waits for another one. */
#ifndef NATIVE_PRELOAD_WAITS_H
#define NATIVE_PRELOAD_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct patched;
struct patch_frame;

enum wait {
  WAIT_NOT,
  WAIT_FOR,    /* it goes on when the value differs from one that it has read */
  WAIT_PERHAPS /* it may have gone on otherwise */
};

/* A thread is about to read an atomic object, with or without writing it. Does not return if its
 * loop ends here. */
enum wait waits_again(const struct patched *p, const struct patch_frame *frame, uint64_t address,
                      uint64_t *value);
/* It has read that value, and has changed nothing. */
void waits_read(const struct patched *p, const struct patch_frame *frame, uint64_t value);
/* A thread wrote memory that others may see. */
void waits_written(void);
/* Whether that memory is on its own stack or heap, which is compared from turn to turn. */
bool waits_remember(uint64_t address, uint64_t size);
/* A plain access to memory that is no atomic object: true if it is one of those in a loop without
 * an end, and they are atomic objects from now on. */
bool waits_for_nobody(const struct patched *p, const struct patch_frame *frame, uint64_t address);

#endif
