/* What a format makes the functions of the families of printf and scanf read and write. */
#ifndef NATIVE_MEMORY_FORMAT_H
#define NATIVE_MEMORY_FORMAT_H

#include "memory.h"

#include <stdarg.h>

struct argument;
struct conversion;

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
  unsigned readings, writings, conversions, arguments;
  bool whole; /* all of it is known */
  bool older; /* by the rules before C99 */
  struct reading *reading;
  struct writing *writing;
  struct conversion *conversion;
  struct argument *argument;
};

/* How much memory it takes to describe what a format says, and an empty description in there. The
 * memory is the caller's stack: nothing is allocated on behalf of the program. */
size_t format_size(const char *format);
void format_begin(struct format *f, const char *format, void *memory);
/* Beside what the format says: the format itself, and at most one more. */
void format_reads(struct format *f, const void *address, size_t size, bool text);
void format_printed(struct format *f, const char *format, va_list values);
void format_scanned(struct format *f, const char *format, va_list values);
/* Passes on what is read, and what may be written, in front of the call; what is written, when
 * `count` values were. */
void format_before(struct format *f, const char *function, uint64_t place);
void format_after(const struct format *f, int count, uint64_t place);

#endif
