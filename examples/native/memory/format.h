/* What a format makes the functions of the families of printf and scanf read and write. */
#ifndef NATIVE_MEMORY_FORMAT_H
#define NATIVE_MEMORY_FORMAT_H

#include "memory.h"

#include <stdarg.h>

enum { READINGS_MOST = 32, WRITINGS_MOST = 32 };

/* Memory that is written by what a format says of one argument. */
struct writing {
  void *address;
  size_t size;    /* or that of a text, with so many bytes for a character: */
  size_t of_text; /* 0, 1 or 4; of at most so many: */
  size_t most;
  unsigned after; /* when so many others are written, and it is not one of these */
  bool counts;
};
struct format {
  unsigned readings, writings;
  bool whole; /* all of it is known */
  struct reading reading[READINGS_MOST];
  struct writing writing[WRITINGS_MOST];
};

void format_reads(struct format *f, const void *address, size_t size, bool text);
void format_printed(struct format *f, const char *format, va_list values);
void format_scanned(struct format *f, const char *format, va_list values);
/* Passes on what is read, and what may be written, in front of the call; what is written, when
 * `count` values were. */
void format_before(struct format *f, const char *function, uint64_t place);
void format_after(const struct format *f, int count, uint64_t place);

#endif
