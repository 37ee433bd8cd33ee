/* The files of /proc that say the numbers of their own process. */
#ifndef NATIVE_PRELOAD_PROC_FILES_H
#define NATIVE_PRELOAD_PROC_FILES_H

#include <stdbool.h>

enum proc_file { PROC_OTHER, PROC_STAT, PROC_STATUS };

/* By its name, without the folder. */
enum proc_file proc_file_of(const char *name);
/* The file was opened for reading: its descriptor becomes one of a copy with the numbers that the
 * program knows; `number` is that of the thread which it is about. */
void proc_show(int file, enum proc_file kind, int number);

#endif
