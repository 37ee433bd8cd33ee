/*
 * Pointers that a caller must give (see unfold/unfold.h). A public function with a status begins
 * with
 *
 *     RETURN_IF_NULL(u->context, u, out);
 *
 * that is, with the context, the handle that leads to it, and the other pointers that must not be
 * NULL. If one of them is, the function returns UNF_INVALID, and the detail of the context names
 * the first one. Through a handle that is NULL no context can be reached, and no detail is written.
 */
#ifndef BASE_NULL_H
#define BASE_NULL_H

#include "base/context.h"

#define RETURN_IF_NULL(context, ...)                                                               \
  do {                                                                                             \
    const char *name_of_null = NULL_AMONG(__VA_ARGS__);                                            \
    if (name_of_null != NULL)                                                                      \
      return NULL_FIRST(__VA_ARGS__, 0) == NULL ? UNF_INVALID                                      \
                                                : unfi_fail_null((context), name_of_null);         \
  } while (0)

/* As RETURN_IF_NULL(), for an array, which must not be NULL if it has elements. */
#define RETURN_IF_NULL_ARRAY(context, array, count)                                                \
  do {                                                                                             \
    if ((array) == NULL && (count) > 0) return unfi_fail_null((context), #array);                  \
  } while (0)

/* The name of the first of up to five pointers that is NULL, or NULL. */
#define NULL_AMONG(...)                         NULL_COUNTED(__VA_ARGS__, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)
#define NULL_COUNTED(a, b, c, d, e, count, ...) NULL_PASTED(count)
#define NULL_PASTED(count)                      NULL_AMONG_##count
#define NULL_AMONG_1(a)                         ((a) == NULL ? #a : NULL)
#define NULL_AMONG_2(a, ...)                    ((a) == NULL ? #a : NULL_AMONG_1(__VA_ARGS__))
#define NULL_AMONG_3(a, ...)                    ((a) == NULL ? #a : NULL_AMONG_2(__VA_ARGS__))
#define NULL_AMONG_4(a, ...)                    ((a) == NULL ? #a : NULL_AMONG_3(__VA_ARGS__))
#define NULL_AMONG_5(a, ...)                    ((a) == NULL ? #a : NULL_AMONG_4(__VA_ARGS__))
#define NULL_FIRST(a, ...)                      (a)

/* Records that a pointer of this name is NULL, and returns UNF_INVALID. */
RARE unf_status unfi_fail_null(unf_context *context, const char *name);

#endif
