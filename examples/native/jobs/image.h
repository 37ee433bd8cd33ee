/* What of a round stands in a journal (jobs/journal.h), beside what its ledger was: what all
 * workers began to know, and what they have seen and found since, in pieces. */
#ifndef NATIVE_JOBS_IMAGE_H
#define NATIVE_JOBS_IMAGE_H

#include <jobs/wire.h>
#include <stdbool.h>
#include <stddef.h>

struct control;

/* The parts of a block that were written, as they were then. */
struct journal_image {
  struct control *known, *sum;
};

void image_free(struct journal_image *image);
/* Appends in which pieces two blocks differ from what was written. Findings, races and their counts
 * are only written when all is: reports have what is new of them. False: no memory. */
bool image_put(struct journal_image *image, struct control *known, struct control *sum, bool whole,
               struct wire *to);
/* Puts pieces into two blocks. False: these are none. */
bool image_get(struct control *known, struct control *sum, const char *bytes, size_t size);

#endif
