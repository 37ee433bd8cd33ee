/* How the events of a configuration use sites beside those of their threads, found by binary search
 * for what may have happened before or after something. */
#ifndef EXTENSION_SITE_USES_H
#define EXTENSION_SITE_USES_H

#include "configuration/configuration.h"
#include "structure/sparse.h"

struct site_use {
  uint32_t site, access, thread, event;
};

/* Of one configuration, in the order of these fields. All zero at first: it is listed when the
 * first operation needs it; to be cleared when the configuration changes. */
struct site_uses {
  bool listed;
  VECTOR(struct site_use) list;
  handle_vector order;
  struct sparse room[2]; /* for cuts within that of the configuration, see exact.c */
};

void unfi_site_uses_clear(struct site_uses *uses);
void unfi_site_uses_free(unf_context *context, struct site_uses *uses);

/* Which of them: those at a site, but for uses in one mode (ACCESS_NONE: all), that are not in the
 * history of `before`, nor come after `after` (NONE: all). */
struct between {
  uint32_t site;
  enum access but;
  uint32_t before, after;
};

/* Appends these events of the configuration with a cut. Returns false when refused. O(threads ·
 * log events), and their number; the first time O(events · log events). */
bool unfi_site_uses_between(unf_unfolding *u, struct cut cut, struct site_uses *uses,
                            struct between between, handle_vector *out);

#endif
