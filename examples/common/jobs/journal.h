/*
 * The journal of an exploration by several processes, for --save FOLDER: what the ledger was and
 * what was found, and behind it what was done to the ledger since. Made again, these calls lead to
 * the same ledger. What a front-end knows beside the sums of jobs.h stands in entries of its own.
 * doc/formats.md has the format.
 *
 * It is in segments. One is begun under another name, and takes its own when it is on the disk;
 * then those before it go. Entries are appended, and count once they are on the disk; what is torn
 * at the end is cut off. A new segment is begun when the entries are more than what they follow, so
 * that all of it follows what is left to do.
 */
#ifndef COMMON_JOBS_JOURNAL_H
#define COMMON_JOBS_JOURNAL_H

#include <jansson.h>

#include "options.h"
#include "wire.h"

struct jobs_journal {
  enum cli_program program;
  const char *folder;
  json_t *identity; /* of what is explored, see saved.h; only looked at */
  int file;         /* of the last segment; -1: none is open */
  uint64_t segment; /* its number; 0: none was begun */
  uint64_t count;   /* of its entries */
  uint64_t size, head;
  struct wire waiting; /* entries that are not on the disk */
  bool failed;         /* which was said: nothing is written any more */
};

/* Begins a segment: all that is known, of which the JSON is only looked at, the ledger, and what a
 * front-end knows beside; NULL: nothing. */
void journal_begin(struct jobs_journal *journal, json_t *known, unf_ledger *ledger,
                   const struct wire *front);
/* Whether entries are written. */
bool journal_is_on(const struct jobs_journal *journal);
/* Entries: an item was given away, taken back; a report came, with what was found by it; what a
 * front-end knows now. */
void journal_gave(struct jobs_journal *journal, uint64_t item);
void journal_took_back(struct jobs_journal *journal, uint64_t item);
void journal_report(struct jobs_journal *journal, const struct wire_head *head, const char *bytes,
                    const struct wire *found);
void journal_front(struct jobs_journal *journal, const struct wire *front);
/* Has all entries on the disk. Whether it is time for a new segment. */
bool journal_sync(struct jobs_journal *journal);
void journal_end(struct jobs_journal *journal);

/* What is done with a journal that is read. False: it cannot be; nothing more is read. */
struct journal_reader {
  bool (*begin)(void *user, const json_t *known, struct wire_bytes *ledger);
  bool (*gave)(void *user, uint64_t item);
  bool (*took_back)(void *user, uint64_t item);
  bool (*report)(void *user, const struct wire_head *head, const char *bytes);
  /* NULL: of this program there is nothing of the kind. */
  bool (*front)(void *user, const char *bytes, size_t size);
};

/* Reads the last segment. False: it says why not, and puts the exit status into *status. */
bool journal_read(enum cli_program program, const char *folder, const json_t *identity,
                  const struct journal_reader *reader, void *user, int *status);

#endif
