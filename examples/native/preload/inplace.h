/* Executions in place (--mode inprocess). Everything that they keep from one execution to the
 * next lies outside of what is put back. */
#ifndef NATIVE_PRELOAD_INPLACE_H
#define NATIVE_PRELOAD_INPLACE_H

#include <stdbool.h>
#include <stdint.h>

bool inplace_explore(void); /* true in each execution; false when it cannot be done here */
bool inplace_running(void); /* in an execution that is in place, so far */
_Noreturn void inplace_end(void);
bool inplace_fork(const char *call, uint64_t place); /* true: in a process of its own from now on */
void *inplace_memory(uint64_t size);                 /* our own, empty; never put back */
int inplace_file(int file); /* a copy of our own, out of the way of the program's; or -1 */
void inplace_files(int *low, int *end); /* where these are */

#endif
