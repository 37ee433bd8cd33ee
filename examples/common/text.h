/* Text from outside, such as names of files: shown so that a terminal does nothing but display it,
 * and so that JSON can hold it. */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/*
 * A text with \xHH in place of each byte of a control character, and of each byte that is not
 * UTF-8. Writes as much as has room, always terminated, and returns the length of the whole.
 */
size_t cli_shown(const char *text, char *buffer, size_t size);
/* Returns what cli_shown() writes, in memory that the caller frees; NULL without memory. */
char *cli_show(const char *text);
/* Returns what cli_shown() writes as a JSON string, a new reference, or a JSON null for a text that
 * is NULL; NULL without memory. */
json_t *cli_json_text(const char *text);
/* Writes what cli_shown() does to a stream. */
void cli_put(FILE *to, const char *text);

/* Prints one line: the text that is formatted, shown as above, and a line feed. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void cli_say(FILE *to, const char *format, ...);

#endif
