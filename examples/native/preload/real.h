/* The C library's own functions, which those of the same name here stand in front of. */
#ifndef NATIVE_PRELOAD_REAL_H
#define NATIVE_PRELOAD_REAL_H

/* The C library's own function of that name; REAL() with its type. */
typedef void plain_function(void);
plain_function *real_function(const char *name);
#define REAL(name) ((__typeof__(&(name)))real_function(#name))

void real_prepare(void); /* in the worker */

#endif
