/* Text formatting for messages and names: the library imports nothing of the printf family. */
#include "base/text.h"

struct text unfi_text(char *buffer, size_t size) {
  struct text text = {buffer, buffer == NULL ? 0 : size, 0};
  if (text.size > 0) buffer[0] = '\0';
  return text;
}

static void add_char(struct text *text, char c) {
  if (text->length + 1 < text->size) {
    text->buffer[text->length] = c;
    text->buffer[text->length + 1] = '\0';
  }
  text->length++;
}

void unfi_text_add(struct text *text, const char *string) {
  while (*string != '\0')
    add_char(text, *string++);
}

void unfi_text_u64(struct text *text, uint64_t value) {
  char digits[20];
  unsigned count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (count > 0)
    add_char(text, digits[--count]);
}

void unfi_text_i64(struct text *text, int64_t value) {
  if (value < 0) add_char(text, '-');
  unfi_text_u64(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void unfi_text_hex(struct text *text, uint64_t value, unsigned digits) {
  while (digits-- > 0)
    add_char(text, "0123456789abcdef"[(value >> (4 * digits)) & 15]);
}
