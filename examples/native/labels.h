/* What people call the objects of a program. */
#ifndef NATIVE_LABELS_H
#define NATIVE_LABELS_H

#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "control/modules.h"

struct control;

/* The variable of a module that lies at an offset in it, and how far behind its beginning; or the
 * module and the offset. */
void variable_in(const struct module *module, uint64_t offset, char *text, size_t size);

/* What people call an object: the variable that it lies in; else what it is, and which one. As
 * snprintf() does. */
size_t object_label(const struct control *control, const unf_unfolding *unfolding,
                    unf_object object, char *text, size_t size);
/* Which one of its sort it is, without the names of variables: files are not looked into, so that
 * this can be asked while the program runs. */
void object_mark(const unf_unfolding *unfolding, unf_object object, char *text, size_t size);

#endif
