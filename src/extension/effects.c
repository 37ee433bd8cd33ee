/* The library's effect families: those that an unfolding has. */
#include "base/null.h"
#include "structure/effect.h"
#include "structure/unfolding.h"

#define FAMILIES(X)                                                                                \
  X(local)                                                                                         \
  X(thread)                                                                                        \
  X(mutex)                                                                                         \
  X(condition)                                                                                     \
  X(rwlock)                                                                                        \
  X(semaphore)                                                                                     \
  X(barrier)                                                                                       \
  X(memory)                                                                                        \
  X(futex)                                                                                         \
  X(custom)                                                                                        \
  X(branch)

/* Each is the last thing in the file of its name. */
#define FAMILY(name) extern const struct effect_family unfi_##name##_family;
FAMILIES(FAMILY)
#undef FAMILY

static const struct effect_family *const families[] = {
#define FAMILY(name) &unfi_##name##_family,
    FAMILIES(FAMILY)
#undef FAMILY
};

unf_status unf_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                             unf_unfolding **out) {
  RETURN_IF_NULL(context, context, out);
  uint32_t count = sizeof families / sizeof *families;
  return unfi_unfolding_new(context, options, families, count, out);
}
