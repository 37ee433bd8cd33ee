/* Programs that are linked with a sanitizer of their own. */
#ifndef NATIVE_SANITIZER_H
#define NATIVE_SANITIZER_H

#include <stdbool.h>

#include "control/texts.h"

/* Why a program cannot be explored because of its sanitizer, or NULL. */
const char *sanitizer_unsuited(int file);
/* Whether it is compiled with callbacks, and looks for them elsewhere. */
bool sanitizer_wanted(const char *path);
/* The shared library of one that checks addresses, or "". Where it is not the first of all, the
 * program's memory is not of it, and nothing is checked. */
void sanitizer_library(const char *path, char library[NAME_SIZE]);
/* Sets options of the environment for a program that looks for errors of memory or undefined
 * behaviour itself, so that what it finds ends the execution as an error, and it begins no process
 * to describe it; false: no memory. */
bool sanitizer_options(const char *path);

#endif
