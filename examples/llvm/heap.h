/* Memory of malloc(), and addresses of it that are compared. */
#ifndef LLVM_HEAP_H
#define LLVM_HEAP_H

#include "machine.h"

/* Memory for a thread, which it had before if some was freed in its past. NULL: the thread stands,
 * and why is in the machine's status. */
const struct object *heap_make(struct machine *m, struct thread *t, uint64_t size,
                               uint64_t alignment, bool written);
/* Frees what begins there. False: the thread stands, as above. */
bool heap_free(struct machine *m, struct thread *t, uint64_t address);
/* An object of the library is named by an address: of memory, which then has so many addresses and
 * is given no more, in whatever execution, unless there are cutoffs. False: no memory, or the
 * exploration begins again. */
bool heap_name(struct machine *m, uint64_t address);
/* An action of a thread is an event: those that have it in their past know what was freed. */
void heap_tell(struct machine *m, struct thread *t, const unf_action *action, unf_event event);
/* Compares numbers, of which addresses are compared by their spots: an address of memory that was
 * freed is that of the memory that is there now. */
struct value heap_compare(struct machine *m, enum comparison comparison, unsigned width,
                          struct value a, struct value b);

#endif
