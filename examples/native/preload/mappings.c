/* Memory that the program maps, and code that it makes itself. A mapping lies in the zone of the
 * thread that asks for it, in all modes: objects in it have names then that do not depend on the
 * order of things, and are the same in a replay. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "../control.h"
#include "accesses.h"
#include "entry.h"
#include "heap.h"
#include "interpose.h"
#include "real.h"
#include "scheduler.h"
#include "system_call.h"

static void see_code(int protection) {
  if (running && (protection & PROT_EXEC) != 0) control->code_later = true;
}

static bool has_zone(void) {
  return running && heap_used() && thread_self() != NULL;
}

static void *answer(long result) {
  if (result >= 0 || result < -PAGE) return (void *)result;
  errno = (int)-result;
  return MAP_FAILED;
}

/* Named so because the header's mmap() may be the other of the two names. */
INTERPOSE void *interposed_mmap(void *address, size_t size, int protection, int flags, int file,
                                off_t offset) __asm__("mmap");
void *interposed_mmap(void *address, size_t size, int protection, int flags, int file,
                      off_t offset) {
  const int elsewhere = MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT | MAP_GROWSDOWN | MAP_HUGETLB;
  see_code(protection);
  const uint64_t place =
      has_zone() && size > 0 && (flags & elsewhere) == 0 ? zone_place(size, true) : 0;
  if (place == 0) return REAL(mmap)(address, size, protection, flags, file, offset);
  const long arguments[] = {(long)place, (long)size, protection, flags | MAP_FIXED, file, offset};
  return answer(raw_call6(SYS_mmap, arguments));
}
OLDER_NAME(mmap64, mmap);

/* What grows goes to a new place, whether or not there would be room behind it. */
INTERPOSE void *mremap(void *address, size_t old_size, size_t size, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void *wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void *) : NULL;
  va_end(more);
  if (unfold_watching && unfold_counts(CALLER)) unfold_freed(address, old_size, CALLER);
  const bool ours = has_zone() && flags == MREMAP_MAYMOVE && old_size > 0 && size > 0 &&
                    zones_contain((uint64_t)(uintptr_t)address, old_size, true);
  uint64_t place = (uint64_t)(uintptr_t)address;
  if (ours && size > old_size) place = zone_place(size, true);
  if (!ours || place == 0) return REAL(mremap)(address, old_size, size, flags, wanted);
  const long arguments[] = {(long)(uintptr_t)address,
                            (long)old_size,
                            (long)size,
                            place == (uint64_t)(uintptr_t)address ? 0
                                                                  : MREMAP_MAYMOVE | MREMAP_FIXED,
                            (long)place,
                            0};
  return answer(raw_call6(SYS_mremap, arguments));
}

INTERPOSE int mprotect(void *address, size_t size, int protection) {
  see_code(protection);
  return REAL(mprotect)(address, size, protection);
}

INTERPOSE int pkey_mprotect(void *address, size_t size, int protection, int key) {
  see_code(protection);
  return REAL(pkey_mprotect)(address, size, protection, key);
}
