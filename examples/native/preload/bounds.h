/* Bounds of loops: a function was called from there, or left; an operation or a sleep is about to
 * begin. */
#ifndef NATIVE_PRELOAD_BOUNDS_H
#define NATIVE_PRELOAD_BOUNDS_H

#include <stdint.h>

void bound_call(uint64_t place);
void bound_return(void);
void bound_operation(uint64_t place);

#endif
