/* A template: the functions behind ours of one file, which NEXT_TABLE(X) lists by their names. They
 * are looked for before main; what is called earlier looks for them itself. */
#include <stdbool.h>

static struct {
#define NEXT_FIELD(name) __typeof__(&(name)) name##_;
  NEXT_TABLE(NEXT_FIELD)
#undef NEXT_FIELD
} next;
static bool found;

__attribute__((constructor)) static void find(void) {
  void *function;
#define NEXT_FIND(name)                                                                            \
  function = memory_behind(#name);                                                                 \
  __builtin_memcpy(&next.name##_, &function, sizeof function);
  NEXT_TABLE(NEXT_FIND)
#undef NEXT_FIND
  found = true;
}

/* The function behind the one of that name. */
#define NEXT(name) (found ? (void)0 : find(), next.name##_)
