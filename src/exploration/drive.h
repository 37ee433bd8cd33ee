/* Where the ready-made exploration loop stands, between two calls of it. */
#ifndef EXPLORATION_DRIVE_H
#define EXPLORATION_DRIVE_H

#include <unfold/drive.h>

/* What is to be done next; each phase names the one after it. */
enum drive_phase {
  DRIVE_NEXT,    /* ask for an execution */
  DRIVE_RESTORE, /* the engine goes back to where it can begin, */
  DRIVE_RESUME,  /* and it begins there, */
  DRIVE_RESTART, /* or at its beginning */
  DRIVE_OFFER,   /* offer what threads are about to do */
  DRIVE_CHANGED, /* say what the last step changed */
  DRIVE_SAVE,    /* the engine may keep its state, */
  DRIVE_SAVED,   /* which is then named to the explorer */
  DRIVE_BLOCKED, /* the engine blocks threads */
  DRIVE_STEP,    /* ask for a step */
  DRIVE_PERFORM, /* the engine performs it */
  DRIVE_COMMIT,  /* commit it */
  DRIVE_FINISH   /* finish the execution */
};

/* The execution at hand, in the loop. */
struct drive {
  enum drive_phase phase;
  unf_run run;
  uint64_t steps; /* of the execution, performed or resumed */
  uint64_t state; /* that the engine kept after them */
  /* What is to be offered: threads that run from the start, from this one on, when there was no
   * step; else up to two threads that the last step concerns. */
  uint32_t offered, concerned[2];
  bool stepped; /* the last step was performed, not resumed */
  unf_step step;
  unf_performed performed;
  bool error;
  bool reported; /* what it came to, before it could be finished */
  unf_verdict verdict;
};

#endif
