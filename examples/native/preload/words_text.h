/* Words as text, in schedules. */
#ifndef NATIVE_PRELOAD_WORDS_TEXT_H
#define NATIVE_PRELOAD_WORDS_TEXT_H

#include "words.h"

/* The words that are known as text, behind the name of a program. */
void words_text(char *text, size_t size);
/* Reads such a text; false: there are none. */
bool words_read(const char *program);

#endif
