/* Expressions. */
#ifndef MODEL_EXPRESSION_H
#define MODEL_EXPRESSION_H

#include "compile.h"

bool compile_expression(struct compiler *c);
/* An expression without operators weaker than +, outside of parentheses. */
bool compile_sum(struct compiler *c);
/* An element of one of the kinds in the mask: its index, if it has one, is pushed; *symbol
 * gets the symbol. */
bool compile_element(struct compiler *c, unsigned kinds, const char *what, uint32_t *symbol);

#endif
