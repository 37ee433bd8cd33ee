/* Programs that are linked with a sanitizer of their own. */
#ifndef NATIVE_SANITIZER_H
#define NATIVE_SANITIZER_H

#include <stdbool.h>

/* Whether a program has the run-time library of the sanitizer whose callbacks are used here. */
bool sanitizer_linked(int file);
/* Whether it is compiled with its callbacks, and looks for them elsewhere. */
bool sanitizer_wanted(const char *path);

#endif
