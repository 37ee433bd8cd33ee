/* --shorten: shorter executions of what was found. */
#ifndef MODEL_SHORTENING_H
#define MODEL_SHORTENING_H

#include "model.h"

/* For all defects of the result. */
void session_shorten(struct session *s);

#endif
