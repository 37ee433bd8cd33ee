/* Explores a program. */
#ifndef LLVM_ENGINE_H
#define LLVM_ENGINE_H

#include "sym.h"

/* Explores everything; what was found is in the result. */
void sym_explore(struct sym *s);

unf_status sym_open(struct sym *s);
void sym_close(struct sym *s);
/* What the machine and what is known of the inputs came to. */
unf_status sym_status(const struct sym *s);
/* What a thread is about to do. */
unf_operation sym_operation(const struct thread *t);
/* The threads of an action that was performed run to their next operations. */
unf_status sym_go_on(struct sym *s, const unf_action *action, unf_event event);
/* Enters why an exploration or a replay did not come to an end. */
void sym_stopped(struct sym *s, unf_status status);

#endif
