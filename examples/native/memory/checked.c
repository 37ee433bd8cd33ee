/*
 * Strings and bytes where the compiler knows how much room there is (_FORTIFY_SOURCE). The accesses
 * are those of the functions without; the C library ends a program that goes beyond the room.
 */
#include "memory.h"

#include <string.h>

INTERPOSE void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
INTERPOSE void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room);
INTERPOSE void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
INTERPOSE void *__memset_chk(void *to, int byte, size_t size, size_t room);
INTERPOSE char *__strcpy_chk(char *to, const char *from, size_t room);
INTERPOSE char *__stpcpy_chk(char *to, const char *from, size_t room);
INTERPOSE char *__strncpy_chk(char *to, const char *from, size_t size, size_t room);
INTERPOSE char *__stpncpy_chk(char *to, const char *from, size_t size, size_t room);
INTERPOSE char *__strcat_chk(char *to, const char *from, size_t room);
INTERPOSE char *__strncat_chk(char *to, const char *from, size_t most, size_t room);
INTERPOSE void __explicit_bzero_chk(void *to, size_t size, size_t room);

#define NEXT_TABLE(X)                                                                              \
  X(__memcpy_chk)                                                                                  \
  X(__mempcpy_chk)                                                                                 \
  X(__memmove_chk)                                                                                 \
  X(__memset_chk)                                                                                  \
  X(__strcpy_chk)                                                                                  \
  X(__stpcpy_chk)                                                                                  \
  X(__strncpy_chk)                                                                                 \
  X(__stpncpy_chk)                                                                                 \
  X(__strcat_chk)                                                                                  \
  X(__strncat_chk)                                                                                 \
  X(__explicit_bzero_chk)
#include "next.h"

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(__memcpy_chk)(to, from, size, room);
}

void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(__mempcpy_chk)(to, from, size, room);
}

void *__memmove_chk(void *to, const void *from, size_t size, size_t room) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(__memmove_chk)(to, from, size, room);
}

void *__memset_chk(void *to, int byte, size_t size, size_t room) {
  if (WATCHED) WRITES(to, size);
  return NEXT(__memset_chk)(to, byte, size, room);
}

char *__strcpy_chk(char *to, const char *from, size_t room) {
  if (WATCHED) WRITES(to, READS_TEXT(from, SIZE_MAX, '\0'));
  return NEXT(__strcpy_chk)(to, from, room);
}

char *__stpcpy_chk(char *to, const char *from, size_t room) {
  if (WATCHED) WRITES(to, READS_TEXT(from, SIZE_MAX, '\0'));
  return NEXT(__stpcpy_chk)(to, from, room);
}

char *__strncpy_chk(char *to, const char *from, size_t size, size_t room) {
  if (WATCHED) READS_TEXT(from, size, '\0'), WRITES(to, size);
  return NEXT(__strncpy_chk)(to, from, size, room);
}

char *__stpncpy_chk(char *to, const char *from, size_t size, size_t room) {
  if (WATCHED) READS_TEXT(from, size, '\0'), WRITES(to, size);
  return NEXT(__stpncpy_chk)(to, from, size, room);
}

char *__strcat_chk(char *to, const char *from, size_t room) {
  size_t before = strlen(to), size = strlen(from) + 1;
  if (WATCHED) COMPARES(to, before + 1, from, size), WRITES(to + before, size);
  return NEXT(__strcat_chk)(to, from, room);
}

char *__strncat_chk(char *to, const char *from, size_t most, size_t room) {
  size_t before = strlen(to), length = strnlen(from, most);
  if (WATCHED)
    COMPARES(to, before + 1, from, SMALLER(length + 1, most)), WRITES(to + before, length + 1);
  return NEXT(__strncat_chk)(to, from, most, room);
}

void __explicit_bzero_chk(void *to, size_t size, size_t room) {
  if (WATCHED) WRITES(to, size);
  NEXT(__explicit_bzero_chk)(to, size, room);
}
