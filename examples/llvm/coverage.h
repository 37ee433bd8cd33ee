/*
 * Coverage: how often each instruction and each way out of a test or switch was taken, in all
 * executions together; and which executions were the first to take some.
 */
#ifndef LLVM_COVERAGE_H
#define LLVM_COVERAGE_H

#include <jansson.h>
#include <stdio.h>
#include <unfold/unfold.h>

#include "code.h"

/* Of one execution. */
struct coverage_run {
  uint64_t fresh;  /* what it took first */
  uint64_t chosen; /* leaves that branch off it and were explored */
};

struct coverage {
  const struct code *code;
  uint64_t *performed;       /* by instruction */
  uint64_t *taken;           /* by word that is a target of a test or switch */
  uint64_t covered;          /* instructions and targets that were */
  uint64_t fresh;            /* in this execution */
  struct coverage_run *runs; /* by number of the execution, from 1 on; those that are known */
  size_t run_count, run_room;
};

/* NULL: no memory. */
struct coverage *coverage_new(const struct code *code);
void coverage_free(struct coverage *coverage);
/* Nothing was performed. */
void coverage_begin(struct coverage *coverage);
/* An instruction is performed, and went to one of its targets. */
void coverage_performed(struct coverage *coverage, uint32_t instruction);
void coverage_went(struct coverage *coverage, uint32_t instruction, uint32_t target);
/* An execution of that number ended. False: no memory. */
bool coverage_ended(struct coverage *coverage, uint64_t run);
/* Whether a leaf promises more than another one: what its execution was the first to take, shared
 * among the leaves that are explored from there. */
bool coverage_promises(const struct coverage *coverage, const unf_leaf *a, const unf_leaf *b);
/* That one is explored. */
void coverage_chosen(struct coverage *coverage, const unf_leaf *leaf);

/* How many lines and ways there are, and were taken; NULL: no memory. */
json_t *coverage_json(const struct coverage *coverage);
/* A path among these that ends as a name of a file does, or the name. */
const char *coverage_path(const char *name, char *const *paths, int path_count);
/* Writes what lcov reads. A file has the one of these paths that ends as its name does, if there is
 * one. False: no memory; whether it could be written, the stream knows. */
bool coverage_write(const struct coverage *coverage, FILE *to, char *const *paths, int path_count);

#endif
