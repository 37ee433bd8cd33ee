/* --jobs. The launcher of this process passes on what the coordinator says: items, that one is to
 * be split, how many executions may be begun. What comes is read between two executions, when the
 * launcher has said in shared memory that there is something. A report says which findings, by
 * their numbers in the block, executions had that count from now on; the launcher adds what these
 * are. All that has to outlast an execution lies in shared memory. */
#include "sharing.h"

#include <errno.h>
#include <jobs/wire.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "../control.h"
#include "../control/findings.h"
#include "../control/races.h"
#include "../control/shared.h"
#include "arena.h"
#include "engine.h"
#include "entry.h"
#include "refuse.h"
#include "system_call.h"

/* Reports of finished items go together, up to so many bytes. */
enum { REPORT_BYTES = 1 << 18, READ_AT_ONCE = 1 << 16 };

struct buffer {
  char *data;
  size_t size, room, at; /* of `size` bytes the first `at` are done with */
};

/* Of the execution with a number. */
struct run_found {
  uint64_t run;
  struct shared_found found;
};

static struct sharing {
  int socket;
  bool begun; /* the last item is not reported finished */
  uint64_t item, executions, allowed, words;
  bool split, ended;
  struct buffer in, items, out;
  struct buffer occurrences; /* struct run_found */
  uint64_t counted[SHARED_KINDS], findings[FINDINGS_MAX], races[RACES_MAX];
  double sent; /* by now() */
  uint64_t run;
} * sharing;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool sharing_new(void) {
  if (control->settings.items_socket < 0 || control->settings.replay) return true;
  void *block =
      mmap(NULL, sizeof *sharing, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return false;
  sharing = block;
  sharing->socket = control->settings.items_socket;
  sharing->sent = now();
  return true;
}

bool sharing_on(void) {
  return sharing != NULL;
}

/* ---- bytes ---- */

static bool reserve(struct buffer *b, size_t more) {
  if (b->at > 0 && b->at == b->size) b->at = b->size = 0;
  if (b->room - b->size >= more) return true;
  const unf_allocator memory = arena_allocator();
  const size_t room = 2 * b->room + more;
  char *data = memory.reallocate(memory.user, b->data, b->room, room);
  if (data == NULL) return false;
  b->data = data;
  b->room = room;
  return true;
}

static bool append(void *user, const char *bytes, size_t size) {
  struct buffer *b = user;
  if (!reserve(b, size)) return false;
  memcpy(b->data + b->size, bytes, size);
  b->size += size;
  return true;
}

static bool take(void *user, void *to, size_t size, size_t *got) {
  struct buffer *b = user;
  const size_t left = b->size - b->at;
  *got = size < left ? size : left;
  memcpy(to, b->data + b->at, *got);
  b->at += *got;
  return true;
}

static void must(bool good) {
  if (!good) engine_must(UNF_MEMORY);
}

/* The launcher is gone: nobody wants to know anything any more. */
_Noreturn static void nobody(void) {
  give_up(OUTCOME_LIMIT, "interrupted");
}

static void send_all(void) {
  struct buffer *b = &sharing->out;
  while (b->at < b->size) {
    const long arguments[] = {
        sharing->socket, (long)(b->data + b->at), (long)(b->size - b->at), MSG_NOSIGNAL, 0, 0};
    const long sent = raw_call6(SYS_sendto, arguments);
    if (sent == 0 || (sent < 0 && sent != -EINTR)) nobody();
    if (sent > 0) b->at += (size_t)sent;
  }
  b->at = b->size = 0;
  sharing->sent = now();
}

static size_t begin_frame(void) {
  static const struct wire_head none;
  must(append(&sharing->out, (const char *)&none, sizeof none));
  return sharing->out.size - sizeof none;
}

static void finish_frame(size_t frame, struct wire_head head) {
  struct buffer *b = &sharing->out;
  head.size = (uint32_t)(b->size - frame - sizeof head) - head.more;
  head.begun = sharing->executions;
  head.redundant = control->counts.redundant;
  head.events = control->counts.events;
  memcpy(b->data + frame, &head, sizeof head);
}

/* ---- from the coordinator ---- */

static void take_words(void) {
  struct buffer *in = &sharing->in;
  struct wire_head head;
  while (in->size - in->at >= sizeof head) {
    memcpy(&head, in->data + in->at, sizeof head);
    const size_t whole = sizeof head + head.size + head.more;
    if (in->size - in->at < whole) break;
    if (head.kind == WIRE_ITEM) must(append(&sharing->items, in->data + in->at, whole));
    if (head.kind == WIRE_ALLOW) sharing->allowed = head.begun;
    sharing->split |= head.kind == WIRE_SPLIT;
    sharing->ended |= head.kind == WIRE_END || head.kind == WIRE_STOP;
    in->at += whole;
  }
  if (in->at == 0) return;
  memmove(in->data, in->data + in->at, in->size - in->at);
  in->size -= in->at;
  in->at = 0;
}

/* Takes what has come, or waits for it. */
static void listen_to(bool wait) {
  struct buffer *in = &sharing->in;
  if (wait && sharing->out.size > 0) send_all();
  sharing->words = control->words_told;
  must(reserve(in, READ_AT_ONCE));
  const long arguments[] = {sharing->socket,
                            (long)(in->data + in->size),
                            (long)(in->room - in->size),
                            wait ? 0 : MSG_DONTWAIT,
                            0,
                            0};
  long got;
  do
    got = raw_call6(SYS_recvfrom, arguments);
  while (got == -EINTR);
  if (got == -EAGAIN) return;
  if (got <= 0) nobody();
  in->size += (size_t)got;
  take_words();
}

/* ---- what was found ---- */

static void note(enum shared_kind kind, uint64_t index, uint64_t count, uint64_t *before) {
  if (count == *before) return;
  const struct run_found o = {sharing->run, {kind, (uint32_t)index, count - *before}};
  *before = count;
  must(append(&sharing->occurrences, (const char *)&o, sizeof o));
}

static void note_all(void) {
  for (uint32_t i = 0; i < control->finding_count; i++)
    note(SHARED_FINDING, i, control->findings[i].count, &sharing->findings[i]);
  for (uint64_t i = 0; i < control->races_found && i < RACES_MAX; i++)
    note(SHARED_RACE, i, control->races[i].count, &sharing->races[i]);
  note(SHARED_LEFT_BEHIND, 0, control->left_behind, &sharing->counted[SHARED_LEFT_BEHIND]);
  note(SHARED_GIVEN_UP, 0, control->given_up, &sharing->counted[SHARED_GIVEN_UP]);
}

/* Appends what executions up to a number had; how many bytes. */
static uint32_t tell_found(uint64_t until) {
  struct buffer *b = &sharing->occurrences;
  struct run_found *all = (struct run_found *)(void *)b->data;
  const size_t count = b->size / sizeof *all;
  size_t counted = 0, told = 0;
  while (counted < count && all[counted].run <= until)
    counted++;
  for (size_t i = 0; i < counted; i++) {
    struct shared_found sum = all[i].found;
    if (sum.count == 0) continue;
    for (size_t j = i + 1; j < counted; j++) {
      if (all[j].found.kind != sum.kind || all[j].found.index != sum.index) continue;
      sum.count += all[j].found.count;
      all[j].found.count = 0;
    }
    must(append(&sharing->out, (const char *)&sum, sizeof sum));
    told++;
  }
  if (counted > 0) memmove(all, all + counted, (count - counted) * sizeof *all);
  b->size -= counted * sizeof *all;
  return (uint32_t)(told * sizeof(struct shared_found));
}

static void report(unf_explorer *explorer, bool split) {
  unf_report told = UNF_REPORT_INIT;
  const size_t frame = begin_frame();
  engine_must(unf_explorer_report(explorer, split, append, &sharing->out, &told));
  struct wire_head head = {.kind = WIRE_REPORT, .finished = told.finished, .item = sharing->item};
#define SHARING_COUNT(field) head.counts.field = told.counts.field;
  WIRE_COUNTS(SHARING_COUNT)
#undef SHARING_COUNT
  head.more = tell_found(told.committed);
  if (told.finished) sharing->begun = false;
  finish_frame(frame, head);
}

/* ---- items ---- */

/* Begins with the next item; waits for it. False: there is none. */
static bool take_item(unf_explorer *explorer) {
  struct buffer *items = &sharing->items;
  struct wire_head head;
  while (items->size == items->at && !sharing->ended)
    listen_to(true);
  if (items->size == items->at || control->stop != STOP_NONE) return false;
  memcpy(&head, items->data + items->at, sizeof head);
  items->at += sizeof head;
  sharing->item = head.item;
  sharing->begun = true;
  const size_t behind = items->at + head.size + head.more;
  engine_must(unf_explorer_begin_item(explorer, take, items));
  items->at = behind;
  return true;
}

/* Waits until it may begin one more execution. False: it never may. */
static bool wait_for_leave(void) {
  if (sharing->allowed <= sharing->executions)
    finish_frame(begin_frame(), (struct wire_head){.kind = WIRE_ASK});
  while (sharing->allowed <= sharing->executions && !sharing->ended)
    listen_to(true);
  return sharing->allowed > sharing->executions;
}

unf_status sharing_next(unf_explorer *explorer, unf_run *run) {
  const double most = control->settings.report_seconds;
  unf_status status = UNF_OK;
  *run = (unf_run){.finished = true};
  for (;;) {
    if (!sharing->begun && !take_item(explorer)) return UNF_OK;
    status = unf_explorer_next(explorer, run);
    if (status != UNF_OK || !run->finished) break;
    report(explorer, false);
    if (sharing->out.size > REPORT_BYTES || now() - sharing->sent > most) send_all();
  }
  if (status != UNF_OK) return status;
  if (!wait_for_leave()) {
    unf_explorer_abandon(explorer);
    give_up(OUTCOME_LIMIT, "interrupted");
  }
  sharing->executions++;
  sharing->run = run->number;
  return UNF_OK;
}

void sharing_between(unf_explorer *explorer) {
  note_all();
  if (sharing->words != control->words_told) listen_to(false);
  if (!sharing->split && now() - sharing->sent < control->settings.report_seconds) return;
  report(explorer, sharing->split);
  sharing->split = false;
  send_all();
}
