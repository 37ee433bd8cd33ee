/* Saving the exploration, for --save. */
#ifndef NATIVE_PRELOAD_SAVING_H
#define NATIVE_PRELOAD_SAVING_H

/* What was found up to here is what is saved; what an execution has that is dropped comes again. */
void saving_note(void);
/* Between two executions: saves, if it is time to. */
void saving_between(void);
/* The exploration ends: saves it. The explorer is used for nothing else then. */
void saving_end(void);
/* In an execution, between two threads: ends it when the exploration is to stop. */
void saving_stop(void);
/* What was seen before an exploration was continued is seen. */
void saving_carry(void);

#endif
