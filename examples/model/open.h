/* A session from its program to its end. */
#ifndef MODEL_OPEN_H
#define MODEL_OPEN_H

#include "model.h"

/* Compiles a text, which is taken, or reads the file if it is NULL. CLI_CLEAN, or another status
 * when what is wrong was said. */
int session_load(struct session *s, char *text, size_t size);
/* Makes the context and the unfolding with all names. */
unf_status session_open_library(struct session *s);
void session_close(struct session *s);

#endif
