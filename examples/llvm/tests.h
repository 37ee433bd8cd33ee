/* Executions as tests of native builds, and coverage as a file. */
#ifndef LLVM_TESTS_H
#define LLVM_TESTS_H

#include "sym.h"

/* Writes the execution at hand, which ended so, to --tests. */
void sym_write_test(struct sym *s, const unf_verdict *verdict);
/* The exploration begins again: what was written is no test. */
void sym_drop_tests(struct sym *s);

/* Writes --coverage, and enters the numbers. */
void sym_write_coverage(struct sym *s);

#endif
