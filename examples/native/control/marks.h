/* What a schedule says of an exploration, behind the name of the program. */
#ifndef NATIVE_CONTROL_MARKS_H
#define NATIVE_CONTROL_MARKS_H

#define LEVEL_MARK  " --atomics "
#define QUIET_MARK  " --quiet "
#define MEMORY_MARK " --memory "

/* What follows the last two of them is at most so long. */
enum { QUIET_TEXT = 16384, MEMORY_TEXT = 1 << 18 };

#endif
