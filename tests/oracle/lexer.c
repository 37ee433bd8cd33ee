/*
 * Lexer of the model language: decimal numbers, names, and punctuation of one or two characters.
 * Comments and blanks are skipped. The position is carried by the caller, so that there is no
 * state.
 */
#include "lexer.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static void advance(const char **cursor, uint32_t *line, uint32_t *column) {
  if (**cursor == '\n') {
    ++*line;
    *column = 1;
  } else {
    ++*column;
  }
  ++*cursor;
}

/* Skips blanks and comments; false if a comment is not closed. */
static bool skip(const char **cursor, uint32_t *line, uint32_t *column) {
  for (;;) {
    const char *c = *cursor;
    if (*c != '\0' && isspace((unsigned char)*c)) {
      advance(cursor, line, column);
    } else if (c[0] == '/' && c[1] == '/') {
      while (**cursor != '\0' && **cursor != '\n') {
        advance(cursor, line, column);
      }
    } else if (c[0] == '/' && c[1] == '*') {
      advance(cursor, line, column);
      advance(cursor, line, column);
      while (!((*cursor)[0] == '*' && (*cursor)[1] == '/')) {
        if (**cursor == '\0') return false;
        advance(cursor, line, column);
      }
      advance(cursor, line, column);
      advance(cursor, line, column);
    } else {
      return true;
    }
  }
}

static uint32_t number(token *t, const char **cursor, uint32_t *line, uint32_t *column) {
  uint32_t kind = TOKEN_NUMBER;
  while (isdigit((unsigned char)**cursor)) {
    int digit = **cursor - '0';
    if (t->value > (INT64_MAX - digit) / 10) {
      kind = TOKEN_BAD;
    } else {
      t->value = t->value * 10 + digit;
    }
    advance(cursor, line, column);
  }
  return kind;
}

static uint32_t punctuation(const char *c) {
  static const char pairs[][3] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", ".."};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    if (c[0] == pairs[i][0] && c[1] == pairs[i][1]) return TOKEN2(c[0], c[1]);
  }
  return strchr("{}()[];,=|^&<>+-*/%!~:", *c) != NULL ? (uint32_t)*c : TOKEN_BAD;
}

token lexer_next(const char **cursor, uint32_t *line, uint32_t *column) {
  token t = {TOKEN_END, NULL, 0, 0, 0, 0};
  bool closed = skip(cursor, line, column);
  t.text = *cursor;
  t.line = *line;
  t.column = *column;
  if (!closed) {
    t.kind = TOKEN_BAD;
  } else if (isdigit((unsigned char)**cursor)) {
    t.kind = number(&t, cursor, line, column);
  } else if (isalpha((unsigned char)**cursor) || **cursor == '_') {
    t.kind = TOKEN_NAME;
    while (isalnum((unsigned char)**cursor) || **cursor == '_') {
      advance(cursor, line, column);
    }
  } else if (**cursor != '\0') {
    t.kind = punctuation(*cursor);
    advance(cursor, line, column);
    if (t.kind != TOKEN_BAD && t.kind > 255) advance(cursor, line, column);
  }
  t.length = (uint32_t)(*cursor - t.text);
  return t;
}
