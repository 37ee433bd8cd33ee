/* What was found, in words. */
#ifndef LLVM_DESCRIBE_H
#define LLVM_DESCRIBE_H

#include "sym.h"

/* What lies at an address, and what an access does there: "write of x". */
void sym_address_text(struct sym *s, uint64_t address, char *buffer, size_t size);
void sym_access_text(struct sym *s, const unf_access *access, char *buffer, size_t size);
/* Lists what is wrong with the execution at hand, that ended so: nothing, if it is not to be judged
 * for a race. True: its threads are blocked, and that is no deadlock, for the process would be
 * gone, or somebody who is not in it may come. */
bool sym_describe_end(struct sym *s, const unf_verdict *verdict, bool raced);
/* Lists the races of the execution at hand. Whether there are some. */
bool sym_describe_races(struct sym *s);
/* The place of a thread, its operation, as texts. */
void sym_place_text(const struct sym *s, uint64_t place, char *buffer, size_t size);
void sym_operation_text(struct sym *s, const unf_operation *operation, char *buffer, size_t size);

#endif
