/* Text to tokens. Columns count bytes from 1; a tab is one column. */
#include "lexer.h"

#include <string.h>

static const char *const signs[] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "..", "(", ")",
                                    "{",  "}",  "[",  "]",  ";",  ",",  ":",  "=",  "|",  "^", "&",
                                    "<",  ">",  "+",  "-",  "*",  "/",  "%",  "!",  "~"};

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static void advance(struct lexer *lexer) {
  if (*lexer->at == '\n') {
    lexer->place.line++;
    lexer->place.column = 0;
  }
  lexer->place.column++;
  lexer->at++;
}

static bool begins(const struct lexer *lexer, const char *text) {
  size_t length = strlen(text);
  return (size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, text, length) == 0;
}

/* Blanks and comments; false: a comment that does not end. */
static bool skip(struct lexer *lexer) {
  for (;;) {
    if (lexer->at == lexer->end) return true;
    if (begins(lexer, "//")) {
      while (lexer->at < lexer->end && *lexer->at != '\n')
        advance(lexer);
    } else if (begins(lexer, "/*")) {
      struct lexer start = *lexer;
      advance(lexer);
      advance(lexer);
      while (lexer->at < lexer->end && !begins(lexer, "*/"))
        advance(lexer);
      if (lexer->at == lexer->end) {
        *lexer = start;
        return false;
      }
      advance(lexer);
      advance(lexer);
    } else if (strchr(" \t\r\n\f\v", *lexer->at) != NULL && *lexer->at != '\0') {
      advance(lexer);
    } else {
      return true;
    }
  }
}

static void wrong(struct token *token, const char *problem) {
  token->kind = TOKEN_WRONG;
  token->problem = problem;
}

static void number(struct lexer *lexer, struct token *token) {
  const uint64_t most = (uint64_t)1 << 63;
  uint64_t magnitude = 0;
  token->kind = TOKEN_NUMBER;
  while (lexer->at < lexer->end && is_digit(*lexer->at)) {
    uint64_t digit = (uint64_t)(*lexer->at - '0');
    if (magnitude > (most - digit) / 10)
      wrong(token, "the number does not fit into 64 bits");
    else
      magnitude = magnitude * 10 + digit;
    advance(lexer);
  }
  token->number = magnitude == most ? NUMBER_TOO_LARGE : (int64_t)magnitude;
  if (token->kind == TOKEN_NUMBER && lexer->at < lexer->end && is_letter(*lexer->at))
    wrong(token, "a letter directly after a number");
}

struct token lexer_next(struct lexer *lexer) {
  bool closed = skip(lexer);
  struct token token = {TOKEN_END, lexer->place, lexer->at, 0, 0, NULL};
  if (!closed) {
    wrong(&token, "the comment does not end");
  } else if (lexer->at == lexer->end) {
    return token;
  } else if (is_letter(*lexer->at)) {
    token.kind = TOKEN_NAME;
    while (lexer->at < lexer->end && (is_letter(*lexer->at) || is_digit(*lexer->at)))
      advance(lexer);
  } else if (is_digit(*lexer->at)) {
    number(lexer, &token);
  } else {
    wrong(&token, "a character that has no meaning here");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
      if (!begins(lexer, signs[i])) continue;
      token.kind = TOKEN_SIGN;
      for (size_t j = 0; j < strlen(signs[i]); j++)
        advance(lexer);
      break;
    }
  }
  token.length = (size_t)(lexer->at - token.text);
  return token;
}

bool token_is(const struct token *token, const char *text) {
  return (token->kind == TOKEN_NAME || token->kind == TOKEN_SIGN) &&
         strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}
