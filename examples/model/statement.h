/* Statements. */
#ifndef MODEL_STATEMENT_H
#define MODEL_STATEMENT_H

#include "compile.h"

bool compile_block(struct compiler *c);

#endif
