/* Where to stop the thread of a pure loop. */
#ifndef PURITY_INSERT_H
#define PURITY_INSERT_H

#include "purity/purity.h"

/* Where to stop the thread for the condition of a loop. */
void unfi_loop_insertions(unf_purity *purity, uint32_t loop, struct logic *logic,
                          const struct condition *c);

#endif
