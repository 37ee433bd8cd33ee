/* Canonical names as text. */
#ifndef STRUCTURE_TEXT_H
#define STRUCTURE_TEXT_H

#include <unfold/action.h>

struct text;

const char *unfi_class_text(unf_object_class object_class);
/* Class, creator and key of an object. */
void unfi_text_object(struct text *text, const unf_unfolding *u, uint32_t object);

#endif
