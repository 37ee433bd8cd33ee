/* What an exploration knew of memory, as a schedule has it: a replay knows the same then, no more
 * and no less. Behind the name of the program a letter says where a part lies, with its thread in
 * front if that is another one than before: `0s5a0=8,h80000020=4,m500038340=1,h40000000*12` are
 * eight bytes on the stack of the main thread, four on its heap, one byte of module 5, and twelve
 * pages; `-` is nothing. Numbers are hexadecimal. In front is `~` if objects are compared. */
#include "words_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../control.h"
#include "../control/learned.h"
#include "../control/marks.h"
#include "../control/texts.h"
#include "entry.h"
#include "words.h"

#define COMPARES "~"

static const char letters[] = {
    [WORD_IN_MODULE] = 'm', [WORD_ON_STACK] = 's', [WORD_ON_HEAP] = 'h', [WORD_ANYWHERE] = 'a'};
enum { LETTERS = sizeof letters, BYTES_MOST = 8 };

void words_text(char *text, size_t size) {
  const char *owner = "", *compares = control->compares ? COMPARES : "";
  size_t used = 0;
  snprintf(text, size, "%s%s-", MEMORY_MARK, compares);
  for (uint32_t i = 0; i < words_known() && used < size; i++) {
    const struct shared_word *w = &control->words[i];
    const bool another = w->owner[0] != '\0' && strcmp(w->owner, owner) != 0;
    used += (size_t)snprintf(text + used, size - used, "%s%s%s%c%llx%c%x",
                             i == 0 ? MEMORY_MARK : ",", i == 0 ? compares : "",
                             another ? w->owner : "", letters[w->where], (unsigned long long)w->at,
                             w->size > 0 ? '=' : '*', w->size > 0 ? w->size : w->pages);
    if (another) owner = w->owner;
  }
}

/* The next part, and what follows it; NULL: it is none. */
static const char *read_word(const char *text, const char *owner, struct shared_word *w) {
  const size_t length = strcspn(text, "msha");
  char *end;
  *w = (struct shared_word){.where = WORD_IN_MODULE};
  if (length >= sizeof w->owner || text[length] == '\0') return NULL;
  while (letters[w->where] != text[length])
    w->where++;
  if (w->where == WORD_ON_STACK || w->where == WORD_ON_HEAP)
    snprintf(w->owner, sizeof w->owner, "%.*s", length > 0 ? (int)length : (int)sizeof w->owner,
             length > 0 ? text : owner);
  w->at = strtoull(text + length + 1, &end, 16);
  const char kind = *end;
  if (kind != '=' && kind != '*') return NULL;
  const unsigned long long number = strtoull(end + 1, &end, 16);
  if (number == 0 || number > (kind == '=' ? BYTES_MOST : UINT32_MAX)) return NULL;
  *(kind == '=' ? &w->size : &w->pages) = (uint32_t)number;
  return end;
}

bool words_read(const char *program) {
  const char *text = strstr(program, MEMORY_MARK);
  char owner[NAME_SIZE] = "";
  struct shared_word w;
  if (text == NULL) return false;
  text += strlen(MEMORY_MARK);
  control->compares = *text == *COMPARES;
  if (control->compares) text++;
  for (control->word_count = 0; control->word_count < WORDS_MAX; text++) {
    if ((text = read_word(text, owner, &w)) == NULL) break;
    if (w.owner[0] != '\0') memcpy(owner, w.owner, sizeof owner);
    control->words[control->word_count++] = w;
    if (*text != ',') break;
  }
  return true;
}
