/* Labels of actions, for people: a word and a number. */
#ifndef FAMILY_LABEL_H
#define FAMILY_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Writes a word, and a number behind it if there is one, cut to the size and terminated. Returns
 * the length of what was written. The library does not print, so neither does this. */
static inline size_t family_label(const char *word, bool numbered, uint64_t number, char *buffer,
                                  size_t size) {
  char text[64];
  size_t length = strlen(word), digits = 1;
  memcpy(text, word, length);
  for (uint64_t rest = number; rest > 9; rest /= 10)
    digits++;
  if (numbered) {
    text[length++] = ' ';
    for (size_t i = digits; i > 0; i--, number /= 10)
      text[length + i - 1] = (char)('0' + number % 10);
    length += digits;
  }
  if (size == 0) return 0;
  if (length > size - 1) length = size - 1;
  memcpy(buffer, text, length);
  buffer[length] = '\0';
  return length;
}

#endif
