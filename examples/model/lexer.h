/* Tokens of the model language. */
#ifndef MODEL_LEXER_H
#define MODEL_LEXER_H

#include "program.h"

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN, TOKEN_WRONG };

/* 2^63 */
#define NUMBER_TOO_LARGE INT64_MIN

struct token {
  enum token_kind kind;
  struct place place;
  const char *text;
  size_t length;
  int64_t number;      /* or NUMBER_TOO_LARGE, which is a number only behind a minus */
  const char *problem; /* of TOKEN_WRONG */
};

struct lexer {
  const char *at, *end;
  struct place place;
};

struct token lexer_next(struct lexer *lexer);
bool token_is(const struct token *token, const char *text);

#endif
