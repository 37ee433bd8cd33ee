/* Copying, filling and comparing bytes without functions of the program's. */
#ifndef NATIVE_PRELOAD_BYTES_H
#define NATIVE_PRELOAD_BYTES_H

/* Before anything else of this library: finds the C library's functions. */
void bytes_begin(void);

#endif
