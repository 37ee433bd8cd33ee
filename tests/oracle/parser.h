/* State shared by the files that read a program. */
#ifndef ORACLE_PARSER_H
#define ORACLE_PARSER_H

#include "lexer.h"
#include "program.h"

#define SCOPE_MAX 64u
#define LOOP_MAX  32u
#define BREAK_MAX 64u

typedef struct scoped_register {
  char name[ORACLE_NAME_MAX];
  uint32_t place;
} scoped_register;

typedef struct loop {
  uint32_t test; /* instruction that continue goes to */
  uint32_t breaks[BREAK_MAX];
  uint32_t break_count;
} loop;

/* After the first error the position is at the end of the text, so that every loop
 * over tokens ends. */
typedef struct parser {
  program *program;
  token *tokens;
  size_t token_count, position;
  bool failed;
  char *error;
  /* of the thread that is read */
  scoped_register scope[SCOPE_MAX];
  uint32_t scope_count, next_register;
  uint32_t members; /* threads that run it */
  loop loops[LOOP_MAX];
  uint32_t loop_count;
} parser;

/* parser.c: tokens, names and code */
const token *parser_peek(const parser *p);
void parser_fail(parser *p, const token *at, const char *what);
/* Moves to the next token; stays at the end. */
void parser_skip(parser *p);
bool parser_at(const parser *p, uint32_t kind);
bool parser_at_name(const parser *p, const char *name);
bool parser_accept(parser *p, uint32_t kind);
void parser_expect(parser *p, uint32_t kind, const char *what);
void parser_copy_name(parser *p, char name[ORACLE_NAME_MAX]);
const symbol *parser_symbol(const parser *p, const char *name);
const scoped_register *parser_register(const parser *p, const char *name);
int64_t parser_constant(parser *p);
uint32_t parser_emit(parser *p, instruction_kind kind);

/* expression.c */
uint32_t parser_expression(parser *p);
/* One without comparisons: what binds at least as strongly as a sum. */
uint32_t parser_sum(parser *p);
/* The element that follows a name: its index, or ORACLE_NONE for a scalar. */
uint32_t parser_index(parser *p, const symbol *s, const token *at);

/* statement.c: the statements of a body and its end */
void parser_body(parser *p);

#endif
