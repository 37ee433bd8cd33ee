/* What holds wherever a block is executed. */
#ifndef PURITY_FACTS_H
#define PURITY_FACTS_H

#include "purity/purity.h"

/* What holds whenever a block is executed, as one conjunction. */
void unfi_facts_find(const unf_purity *purity, struct logic *logic, unf_block block,
                     struct condition *facts);

#endif
