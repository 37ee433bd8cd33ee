/* Segments of the journal: entries with their length and a sum, and how they come to the disk. */
#define _GNU_SOURCE
#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "save.h"
#include "saved.h"
#include "session.h"
#include "text.h"

#define SUFFIX ".unfj"
enum entry_kind {
  ENTRY_KNOWN = 1,
  ENTRY_LEDGER,
  ENTRY_GAVE,
  ENTRY_TOOK_BACK,
  ENTRY_REPORT,
  ENTRY_FRONT
};
enum {
  HEAD_WORDS = 3, /* of an entry: its length behind the head, its sum, its kind */
  HEAD_SIZE = HEAD_WORDS * 8,
  SMALL = 1 << 20 /* bytes for which no new segment is begun */
};

/* ---- numbers and sums ---- */

static void put_word(char *to, uint64_t word) {
  for (unsigned i = 0; i < 8; i++)
    to[i] = (char)(word >> 8 * i);
}

static uint64_t get_word(const char *from) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; i++)
    word |= (uint64_t)(unsigned char)from[i] << 8 * i;
  return word;
}

static uint64_t add_bytes(uint64_t sum, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return sum;
}

/* Of an entry, with its place: one that is left from something else does not count. */
static uint64_t sum_of(uint64_t segment, uint64_t index, uint64_t kind, const char *bytes,
                       uint64_t size) {
  char words[32];
  put_word(words, segment);
  put_word(words + 8, index);
  put_word(words + 16, kind);
  put_word(words + 24, size);
  return add_bytes(add_bytes(UINT64_C(0xcbf29ce484222325), words, sizeof words), bytes, size);
}

/* ---- entries ---- */

/* An entry, the bytes of which are appended by the caller behind its head: where it begins. */
static bool begin_entry(struct wire *wire, size_t *at) {
  static const char none[HEAD_SIZE];
  *at = wire->size;
  return wire_append(wire, none, sizeof none);
}

static void finish_entry(struct wire *wire, size_t at, uint64_t segment, uint64_t index,
                         enum entry_kind kind) {
  char *head = wire->data + at;
  const uint64_t size = wire->size - at - HEAD_SIZE;
  put_word(head, size);
  put_word(head + 8, sum_of(segment, index, (uint64_t)kind, head + HEAD_SIZE, size));
  put_word(head + 16, (uint64_t)kind);
}

static bool append_word(struct wire *wire, uint64_t number) {
  char word[8];
  put_word(word, number);
  return wire_append(wire, word, sizeof word);
}

/* ---- files ---- */

static void path_of(const char *folder, uint64_t segment, char *path, size_t size) {
  snprintf(path, size, "%s/%08" PRIu64 SUFFIX, folder, segment);
}

static void say(struct jobs_journal *j, const char *why) {
  cli_say(stderr, "%s: %s: %s", cli_program_name(j->program), j->folder, why);
  j->failed = true;
}

/* The number of a segment by its name; 0: it is none. */
static uint64_t number_of(const char *name) {
  char *end;
  if (name[0] < '0' || name[0] > '9') return 0;
  const uint64_t number = strtoull(name, &end, 10);
  return strcmp(end, SUFFIX) == 0 ? number : 0;
}

/* Whether a name is that of a segment that a process did not come to the end of. */
static bool is_begun(const char *name) {
  const size_t length = strlen(name);
  return strncmp(name, ".unfold-", 8) == 0 && length > 12 && strcmp(name + length - 4, ".tmp") == 0;
}

/* The last segment in a folder, 0: there is none. With `until` those below it are removed, and what
 * is left of processes that were killed. */
static uint64_t look_through(const char *folder, uint64_t until) {
  char path[PATH_MAX];
  uint64_t last = 0;
  DIR *list = opendir(folder);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    const uint64_t number = number_of(entry->d_name);
    if (number > last) last = number;
    const bool left = until > 0 && number == 0 && is_begun(entry->d_name);
    if (!left && (number == 0 || number >= until)) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    unlink(path);
  }
  if (list != NULL) closedir(list);
  return last;
}

static unf_status produce(void *user, unf_write write, void *file) {
  const struct wire *wire = user;
  return write(file, wire->data, wire->size) ? UNF_OK : UNF_WRITE;
}

/* What a segment begins with. False: no memory, or the library says why not. */
static bool put_begin(struct jobs_journal *j, uint64_t segment, json_t *known, unf_ledger *ledger,
                      const struct wire *front, struct wire *wire) {
  size_t at;
  json_t *all = json_pack("{s:O, s:O}", "identity", j->identity, "known", known);
  char *text = all != NULL ? json_dumps(all, JSON_COMPACT) : NULL;
  bool good = text != NULL && begin_entry(wire, &at) && wire_append(wire, text, strlen(text));
  json_decref(all);
  free(text);
  if (good) finish_entry(wire, at, segment, 0, ENTRY_KNOWN);
  good = good && begin_entry(wire, &at) && unf_ledger_write(ledger, wire_append, wire) == UNF_OK;
  if (good) finish_entry(wire, at, segment, 1, ENTRY_LEDGER);
  if (!good || front == NULL) return good;
  good = begin_entry(wire, &at) && wire_append(wire, front->data, front->size);
  if (good) finish_entry(wire, at, segment, 2, ENTRY_FRONT);
  return good;
}

void journal_begin(struct jobs_journal *j, json_t *known, unf_ledger *ledger,
                   const struct wire *front) {
  char path[PATH_MAX];
  struct wire wire = {.data = NULL};
  int reason = 0;
  if (j->failed) return;
  if (j->segment == 0 && mkdir(j->folder, 0777) != 0 && errno != EEXIST) {
    say(j, strerror(errno));
    return;
  }
  if (j->segment == 0) j->segment = look_through(j->folder, 0);
  const uint64_t segment = j->segment + 1;
  path_of(j->folder, segment, path, sizeof path);
  if (known == NULL || !put_begin(j, segment, known, ledger, front, &wire))
    say(j, "no memory to save");
  else if (save_lasting(path, produce, &wire, &reason) != UNF_OK)
    say(j, strerror(reason));
  j->size = j->head = wire.size;
  wire_free(&wire);
  if (j->failed) return;
  if (j->file >= 0) close(j->file);
  j->file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (j->file < 0) {
    say(j, strerror(errno));
    return;
  }
  j->segment = segment;
  j->count = front != NULL ? 3 : 2;
  j->waiting.size = 0; /* all of it is in the ledger */
  look_through(j->folder, segment);
}

bool journal_is_on(const struct jobs_journal *j) {
  return j->folder != NULL && !j->failed && j->file >= 0;
}

static void note_item(struct jobs_journal *j, enum entry_kind kind, uint64_t item) {
  size_t at;
  if (!journal_is_on(j)) return;
  if (!begin_entry(&j->waiting, &at) || !append_word(&j->waiting, item))
    say(j, "no memory to save");
  else
    finish_entry(&j->waiting, at, j->segment, j->count++, kind);
}

void journal_gave(struct jobs_journal *j, uint64_t item) {
  note_item(j, ENTRY_GAVE, item);
}

void journal_took_back(struct jobs_journal *j, uint64_t item) {
  note_item(j, ENTRY_TOOK_BACK, item);
}

/* Numbers of a head that an entry has, in this order. */
#define HEAD_NUMBERS(X) X(item) X(finished) X(size) X(more)

void journal_report(struct jobs_journal *j, const struct wire_head *passed, const char *bytes,
                    const struct wire *found) {
  struct wire_head head = *passed;
  size_t at;
  if (!journal_is_on(j)) return;
  head.more = (uint32_t)found->size;
  bool good = begin_entry(&j->waiting, &at);
#define PUT_NUMBER(field) good = good && append_word(&j->waiting, head.field);
#define PUT_COUNT(field)  good = good && append_word(&j->waiting, head.counts.field);
  HEAD_NUMBERS(PUT_NUMBER)
  WIRE_COUNTS(PUT_COUNT)
#undef PUT_COUNT
#undef PUT_NUMBER
  if (good && wire_append(&j->waiting, bytes, head.size) &&
      wire_append(&j->waiting, found->data, found->size))
    finish_entry(&j->waiting, at, j->segment, j->count++, ENTRY_REPORT);
  else
    say(j, "no memory to save");
}

void journal_front(struct jobs_journal *j, const struct wire *front) {
  size_t at;
  if (!journal_is_on(j)) return;
  if (begin_entry(&j->waiting, &at) && wire_append(&j->waiting, front->data, front->size))
    finish_entry(&j->waiting, at, j->segment, j->count++, ENTRY_FRONT);
  else
    say(j, "no memory to save");
}

bool journal_sync(struct jobs_journal *j) {
  if (!journal_is_on(j) || j->waiting.size == 0) return false;
  size_t done = 0;
  while (done < j->waiting.size && !j->failed) {
    const ssize_t written = write(j->file, j->waiting.data + done, j->waiting.size - done);
    if (written > 0)
      done += (size_t)written;
    else if (written == 0 || errno != EINTR)
      say(j, strerror(written == 0 ? ENOSPC : errno));
  }
  while (!j->failed && fdatasync(j->file) != 0 && errno != EINVAL && errno != EROFS)
    if (errno != EINTR) say(j, strerror(errno));
  j->size += done;
  j->waiting.size = 0;
  const uint64_t behind = j->size - j->head;
  return !j->failed && behind > SMALL && behind > 2 * j->head;
}

void journal_end(struct jobs_journal *j) {
  if (j->folder == NULL) return;
  journal_sync(j);
  if (j->file >= 0) close(j->file);
  j->file = -1;
  wire_free(&j->waiting);
}

/* ---- reading ---- */

static bool read_file(const char *path, struct wire *wire) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = -1;
  while (file >= 0 && wire_reserve(wire, 1 << 16)) {
    got = read(file, wire->data + wire->size, wire->room - wire->size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    wire->size += (size_t)got;
  }
  if (file >= 0) close(file);
  return got == 0;
}

/* An entry of a segment that is read. */
struct segment_entry {
  uint64_t kind, size;
  const char *bytes;
};

/* The next entry; false: there is none that is whole. */
static bool next_entry(struct wire *wire, uint64_t segment, uint64_t index,
                       struct segment_entry *entry) {
  const char *head = wire->data + wire->at;
  const uint64_t left = wire->size - wire->at;
  if (left < HEAD_SIZE) return false;
  *entry = (struct segment_entry){get_word(head + 16), get_word(head), head + HEAD_SIZE};
  if (entry->size > left - HEAD_SIZE) return false;
  if (get_word(head + 8) != sum_of(segment, index, entry->kind, entry->bytes, entry->size))
    return false;
  wire->at += HEAD_SIZE + (size_t)entry->size;
  return true;
}

static bool take_report(const struct segment_entry *entry, const struct journal_reader *reader,
                        void *user) {
  struct wire_head head = {.kind = WIRE_REPORT};
  const char *at = entry->bytes, *end = at + entry->size;
#define GET_NUMBER(field)                                                                          \
  if (end - at < 8) return false;                                                                  \
  head.field = get_word(at), at += 8;
#define GET_SHORT(field)                                                                           \
  if (end - at < 8 || get_word(at) > UINT32_MAX) return false;                                     \
  head.field = (uint32_t)get_word(at), at += 8;
#define GET_COUNT(field) GET_NUMBER(counts.field)
  GET_NUMBER(item)
  GET_SHORT(finished)
  GET_SHORT(size)
  GET_SHORT(more)
  WIRE_COUNTS(GET_COUNT)
#undef GET_COUNT
#undef GET_SHORT
#undef GET_NUMBER
  return (uint64_t)(end - at) == (uint64_t)head.size + head.more && reader->report(user, &head, at);
}

static bool take_entry(const struct segment_entry *entry, const struct journal_reader *reader,
                       void *user) {
  const bool item = entry->size == 8;
  switch (entry->kind) {
  case ENTRY_GAVE:
    return item && reader->gave(user, get_word(entry->bytes));
  case ENTRY_TOOK_BACK:
    return item && reader->took_back(user, get_word(entry->bytes));
  case ENTRY_REPORT:
    return take_report(entry, reader, user);
  case ENTRY_FRONT:
    return reader->front != NULL && reader->front(user, entry->bytes, (size_t)entry->size);
  default:
    return false;
  }
}

struct journal_reading {
  enum cli_program program;
  const char *path;
  const json_t *identity;
  const struct journal_reader *reader;
  void *user;
};

static bool wrong(const struct journal_reading *r, const char *what, int *status) {
  cli_say(stderr, "%s: %s: %s", cli_program_name(r->program), r->path, what);
  *status = CLI_USAGE;
  return false;
}

/* What a segment begins with: it was there before the segment had its name. *count: its entries. */
static bool read_begin(const struct journal_reading *r, struct wire *wire, uint64_t segment,
                       uint64_t *count, int *status) {
  struct segment_entry known, ledger, front = {.size = 0};
  char line[600];
  const bool fronts = r->reader->front != NULL;
  *count = fronts ? 3 : 2;
  if (!next_entry(wire, segment, 0, &known) || known.kind != ENTRY_KNOWN ||
      !next_entry(wire, segment, 1, &ledger) || ledger.kind != ENTRY_LEDGER ||
      (fronts && (!next_entry(wire, segment, 2, &front) || front.kind != ENTRY_FRONT)))
    return wrong(r, "no journal, or it is damaged", status);
  json_t *all = json_loadb(known.bytes, (size_t)known.size, 0, NULL);
  struct wire_bytes bytes = {ledger.bytes, (size_t)ledger.size, 0};
  bool good = true;
  if (!cli_saved_same(r->identity, json_object_get(all, "identity"), line, sizeof line))
    good = wrong(r, line, status);
  else if (!r->reader->begin(r->user, json_object_get(all, "known"), &bytes) ||
           (fronts && !r->reader->front(r->user, front.bytes, (size_t)front.size)))
    good = wrong(r, "what was saved cannot be read", status);
  json_decref(all);
  return good;
}

static bool read_segment(const struct journal_reading *r, struct wire *wire, uint64_t segment,
                         int *status) {
  struct segment_entry entry;
  uint64_t index;
  if (!read_begin(r, wire, segment, &index, status)) return false;
  for (; next_entry(wire, segment, index, &entry); index++)
    if (!take_entry(&entry, r->reader, r->user))
      return wrong(r, "an entry does not belong to what comes before it", status);
  if (wire->at < wire->size)
    cli_say(stderr, "%s: %s: the last %zu bytes are not whole, and left out",
            cli_program_name(r->program), r->path, wire->size - wire->at);
  return true;
}

bool journal_read(enum cli_program program, const char *folder, const json_t *identity,
                  const struct journal_reader *reader, void *user, int *status) {
  char path[PATH_MAX];
  struct wire wire = {.data = NULL};
  const uint64_t segment = look_through(folder, 0);
  path_of(folder, segment, path, sizeof path);
  const struct journal_reading r = {program, segment != 0 ? path : folder, identity, reader, user};
  bool good = false;
  if (segment == 0)
    wrong(&r, "no journal of an exploration", status);
  else if (!read_file(path, &wire))
    wrong(&r, "it cannot be read", status);
  else
    good = read_segment(&r, &wire, segment, status);
  wire_free(&wire);
  return good;
}
