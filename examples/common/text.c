/* What is UTF-8 is said in Unicode, table 3-7 (well-formed byte sequences). */
#include "text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPED = 4 }; /* length of \xHH */

/* The bytes that can follow the first of a sequence; those after the second are 80 to BF. */
static const struct sequence {
  unsigned char first, last; /* of the first byte */
  unsigned char low, high;   /* of the second */
  unsigned char length;
} sequences[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
                 {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};

/* The bytes of the character that begins here; 0: none does, or it is a control character. */
static size_t character(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  if (at[0] < 0x80) return at[0] >= 0x20 && at[0] != 0x7F;
  if (at[0] == 0xC2 && at[1] < 0xA0) return 0;
  for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
    const struct sequence *s = &sequences[i];
    if (at[0] < s->first || at[0] > s->last) continue;
    if (at[1] < s->low || at[1] > s->high) return 0;
    for (size_t j = 2; j < s->length; j++)
      if (at[j] < 0x80 || at[j] > 0xBF) return 0;
    return s->length;
  }
  return 0;
}

size_t cli_shown(const char *text, char *buffer, size_t size) {
  static const char digits[] = "0123456789abcdef";
  size_t whole = 0, used = 0;
  for (; *text != '\0';) {
    const unsigned char byte = (unsigned char)*text;
    const char escaped[ESCAPED] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    size_t taken = character(text), length = taken > 0 ? taken : ESCAPED;
    if (used == whole && used + length < size) {
      memcpy(buffer + used, taken > 0 ? text : escaped, length);
      used += length;
    }
    whole += length;
    text += taken > 0 ? taken : 1;
  }
  if (size > 0) buffer[used] = '\0';
  return whole;
}

char *cli_show(const char *text) {
  size_t size = cli_shown(text, NULL, 0) + 1;
  char *shown = malloc(size);
  if (shown != NULL) cli_shown(text, shown, size);
  return shown;
}

json_t *cli_json_text(const char *text) {
  if (text == NULL) return json_null();
  char *shown = cli_show(text);
  json_t *string = shown != NULL ? json_string(shown) : NULL;
  free(shown);
  return string;
}

void cli_put(FILE *to, const char *text) {
  while (*text != '\0') {
    size_t taken = character(text);
    if (taken > 0)
      fwrite(text, 1, taken, to);
    else
      fprintf(to, "\\x%02x", (unsigned)(unsigned char)*text);
    text += taken > 0 ? taken : 1;
  }
}

void cli_say(FILE *to, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  char brief[256]; /* what is left of the line without memory */
  int length = vsnprintf(brief, sizeof brief, format, arguments);
  char *line = length < (int)sizeof brief ? NULL : malloc((size_t)length + 1);
  if (line != NULL) vsnprintf(line, (size_t)length + 1, format, again);
  cli_put(to, line != NULL ? line : brief);
  putc('\n', to);
  free(line);
  va_end(again);
  va_end(arguments);
}
