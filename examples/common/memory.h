/* The memory that there is. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stdint.h>

/* Bytes that this process may use: those of the machine, or of the control group that it is in, if
 * that has less. 0: not known. */
uint64_t cli_memory(void);

#endif
