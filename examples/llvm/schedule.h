/* Executions as schedules. */
#ifndef LLVM_SCHEDULE_H
#define LLVM_SCHEDULE_H

#include "sym.h"

/* Whether a schedule of that name is one of the program; its inputs have the values there then. Not
 * either without memory, which was said. */
bool sym_takes_schedule(struct sym *s, const char *program);
/* The execution at hand, with inputs for which a set of facts is true; to be freed. NULL: no
 * memory, which was said. */
unf_schedule *sym_schedule(struct sym *s, uint32_t set);
/* Writes it to --trace-dir, if that is given, for a defect. */
void sym_save_schedule(struct sym *s, uint32_t set, struct cli_defect *defect);

#endif
