/* Tokens of the model language. */
#ifndef ORACLE_LEXER_H
#define ORACLE_LEXER_H

#include <stdbool.h>
#include <stdint.h>

/* A punctuation token is its characters, the first in the low byte. */
#define TOKEN2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)
#define TOKEN_END    0u
#define TOKEN_NAME   0x10000u
#define TOKEN_NUMBER 0x20000u
#define TOKEN_BAD    0x30000u

typedef struct token {
  uint32_t kind;
  const char *text;
  uint32_t length;
  uint32_t line, column;
  int64_t value; /* NUMBER */
} token;

/* Reads the token at *cursor and moves *cursor, *line and *column behind it. BAD: an unknown
 * character, an open comment, a number too large. */
token lexer_next(const char **cursor, uint32_t *line, uint32_t *column);

#endif
