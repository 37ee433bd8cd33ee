/* Text in a fixed buffer, always terminated, without the printf family. The length also counts what
 * did not fit. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
  char *buffer;
  size_t size;
  size_t length;
};

/* An empty text in a buffer; a buffer that is NULL holds nothing. */
struct text unfi_text(char *buffer, size_t size);
void unfi_text_add(struct text *text, const char *string);
void unfi_text_u64(struct text *text, uint64_t value);
void unfi_text_i64(struct text *text, int64_t value);
void unfi_text_hex(struct text *text, uint64_t value, unsigned digits);

#endif
