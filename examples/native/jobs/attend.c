/* The launcher of one worker. It stands between the coordinator and the program under test: it
 * passes on items and reports, adds to reports what the findings are that they count, says every
 * now and then that it is alive, whatever the program does, and at the end says what was not
 * reported. */
#include "attend.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <jobs/wire.h>
#include <poll.h>
#include <report.h>
#include <sched.h>
#include <session.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../control.h"
#include "../control/findings.h"
#include "../control/races.h"
#include "../control/settings.h"
#include "../control/shared.h"
#include "../control/texts.h"
#include "../launch.h"
#include "state.h"
#include "union.h"
#include "view.h"

/* Above what programs use, and below where executions in place have theirs. */
enum {
  SOCKET_LOW = 190,
  WAIT_MS = 100,
  WAIT_FOR_END_MS = 1, /* of a program that has closed its socket */
  SCHEDULE_MOST = 1 << 28,
  COPIED_FILES = 2000,
  COPIED_BYTES = 64 << 20
};
#define SIGN_SECONDS 0.5

struct attendant {
  const struct attended *attended;
  struct control *control;
  int memory;
  int coordinator, program; /* sockets; -1: closed */
  struct wire in, to_program, from_program, out;
  double said; /* by cli_now() */
  struct wire_counts reported;
  uint64_t begun, redundant, events; /* as last said by the program */
  uint32_t touched;                  /* reported */
  uint64_t findings[FINDINGS_MAX], races[RACES_MAX], left_behind, given_up; /* reported */
  uint32_t finding_told[FINDINGS_MAX], race_told[RACES_MAX]; /* which version was told */
  bool state_told;
  uint64_t state_number; /* of what was seen when it was told */
  struct watched watched;
};

/* ---- to the coordinator ---- */

/* Nobody is left who wants to know anything. */
_Noreturn static void deserted(void) {
  _exit(0);
}

static void check(bool good) {
  if (!good) deserted();
}

static void send_all(struct attendant *a) {
  check(wire_write(&a->out, a->coordinator));
  a->said = cli_now();
}

static void finish_frame(struct attendant *a, size_t frame, struct wire_head head) {
  head.begun = a->begun;
  head.redundant = a->redundant;
  head.events = a->events;
  wire_finish(&a->out, frame, head);
}

static void say(struct attendant *a, enum wire_kind kind) {
  size_t frame;
  check(wire_begin(&a->out, &frame));
  if (kind == WIRE_STATE) check(state_put(&a->out, a->control));
  finish_frame(a, frame, (struct wire_head){.kind = kind});
  send_all(a);
}

/* ---- what was found ---- */

/* The text of a schedule that this worker wrote; NULL: there is none. */
static char *take_schedule(struct attendant *a, unsigned number, size_t *size) {
  char path[sizeof a->control->settings.trace_folder + NAME_SIZE];
  struct stat information;
  *size = 0;
  if (number <= a->control->schedules_kept) return NULL;
  snprintf(path, sizeof path, "%s/trace-%u.unfs", a->control->settings.trace_folder, number);
  FILE *file = fopen(path, "re");
  if (file == NULL) return NULL;
  char *text = NULL;
  if (fstat(fileno(file), &information) == 0 && information.st_size < SCHEDULE_MOST)
    text = malloc((size_t)information.st_size + 1);
  if (text != NULL) *size = fread(text, 1, (size_t)information.st_size, file);
  fclose(file);
  return text;
}

/* Copies what the program may be changing: until it was not changed meanwhile. Whoever changes it
 * for so long is dead. */
static void take_body(void *to, const void *from, size_t size, const uint32_t *version) {
  enum { TRIES = 1000 };
  for (int i = 0; i < TRIES; i++) {
    const uint32_t before = __atomic_load_n(version, __ATOMIC_ACQUIRE);
    memcpy(to, from, size);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (before % 2 == 0 && __atomic_load_n(version, __ATOMIC_RELAXED) == before) return;
    sched_yield();
  }
}

static void append(struct attendant *a, const void *bytes, size_t size) {
  if (size == 0) return;
  check(wire_append(&a->out, bytes, size));
}

/* What is told of a finding or race, unless this was; its size. */
static uint32_t finding_body(struct attendant *a, uint32_t index, struct finding *f) {
  const struct finding *own = &a->control->findings[index];
  if (own->version == a->finding_told[index]) return 0;
  take_body(f, own, sizeof *f, &own->version);
  a->finding_told[index] = f->version;
  return sizeof *f;
}

static uint32_t race_body(struct attendant *a, uint32_t index, struct reported_race *r) {
  const struct reported_race *own = &a->control->races[index];
  if (own->version == a->race_told[index]) return 0;
  take_body(r, own, sizeof *r, &own->version);
  a->race_told[index] = r->version;
  return sizeof *r;
}

/* Behind the frame at hand: what is counted, and what it is, when that is new. */
static void tell(struct attendant *a, struct shared_found found) {
  static struct finding finding;
  struct reported_race race;
  struct told_found told = {.found = found};
  char *texts[2] = {NULL, NULL};
  size_t sizes[2] = {0, 0};
  const void *body = NULL;
  if (found.count == 0) return;
  if (found.kind == SHARED_FINDING && found.index < FINDINGS_MAX) {
    a->findings[found.index] += found.count;
    told.size = finding_body(a, found.index, &finding);
    body = &finding;
    if (told.size > 0) texts[0] = take_schedule(a, finding.schedule, &sizes[0]);
    if (told.size > 0) texts[1] = take_schedule(a, finding.other, &sizes[1]);
  } else if (found.kind == SHARED_RACE && found.index < RACES_MAX) {
    a->races[found.index] += found.count;
    told.size = race_body(a, found.index, &race);
    body = &race;
    if (told.size > 0) texts[0] = take_schedule(a, race.schedule, &sizes[0]);
  } else if (found.kind == SHARED_LEFT_BEHIND) {
    a->left_behind += found.count;
  } else {
    a->given_up += found.count;
  }
  for (int i = 0; i < 2; i++)
    told.texts[i] = (uint32_t)sizes[i];
  append(a, &told, sizeof told);
  append(a, body, told.size);
  for (int i = 0; i < 2; i++) {
    append(a, texts[i], sizes[i]);
    free(texts[i]);
  }
}

/* Behind the frame at hand: what the program has written since that was said last. */
static void tell_touched(struct attendant *a) {
  for (; a->touched < a->control->touched_count; a->touched++) {
    const struct touched *touched = &a->control->touched[a->touched];
    const struct told_found told = {{SHARED_TOUCHED, a->touched, 1}, sizeof *touched, {0, 0}};
    append(a, &told, sizeof told);
    append(a, touched, sizeof *touched);
  }
}

static void sign(struct attendant *a) {
  size_t frame;
  check(wire_begin(&a->out, &frame));
  const size_t before = a->out.size;
  tell_touched(a);
  const struct wire_head head = {.kind = WIRE_SIGN, .more = (uint32_t)(a->out.size - before)};
  finish_frame(a, frame, head);
  send_all(a);
}

/* What was seen, in front of what has to do with it: findings need to know where modules are, and a
 * journal has all that was seen by executions that count. */
static void tell_state(struct attendant *a, bool needed) {
  bool news = false;
  if (a->attended->options->save != NULL) {
    const uint64_t number = union_number(a->control);
    news = number != a->state_number;
    a->state_number = number;
  }
  if (!news && (!needed || a->state_told)) return;
  say(a, WIRE_STATE);
  a->state_told = true;
}

static void pass_report(struct attendant *a, struct wire_head head, const char *bytes) {
  const size_t count = head.more / sizeof(struct shared_found);
  size_t frame;
  tell_state(a, count > 0);
  check(wire_begin(&a->out, &frame));
  append(a, bytes, head.size);
  const size_t before = a->out.size;
  for (size_t i = 0; i < count; i++) {
    struct shared_found found;
    memcpy(&found, bytes + head.size + i * sizeof found, sizeof found);
    tell(a, found);
  }
  head.more = (uint32_t)(a->out.size - before);
#define ATTEND_ADD(field) a->reported.field += head.counts.field;
  WIRE_COUNTS(ATTEND_ADD)
#undef ATTEND_ADD
  finish_frame(a, frame, head);
}

/* ---- passed on ---- */

/* Whether there may be more at once. */
static bool hear_program(struct attendant *a) {
  struct wire_head head;
  char *bytes;
  const long got = wire_read(&a->from_program, a->program);
  const bool none = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  while (wire_next(&a->from_program, &head, &bytes)) {
    a->begun = head.begun;
    a->redundant = head.redundant;
    a->events = head.events;
    if (head.kind == WIRE_REPORT)
      pass_report(a, head, bytes);
    else if (head.kind == WIRE_ASK)
      say(a, WIRE_ASK);
  }
  if (a->out.size > 0) send_all(a);
  if (got > 0 || none) return got > 0;
  close(a->program);
  a->program = -1;
  return false;
}

static void hear_coordinator(struct attendant *a) {
  struct wire_head head;
  char *bytes;
  check(wire_read(&a->in, a->coordinator) > 0);
  while (wire_next(&a->in, &head, &bytes)) {
    a->watched.stop |= head.kind == WIRE_STOP;
    check(wire_append(&a->to_program, (const char *)&head, sizeof head) &&
          wire_append(&a->to_program, bytes, head.size));
  }
}

static void pass_on(struct attendant *a) {
  if (a->program < 0 || a->to_program.size == 0) return;
  if (!wire_write(&a->to_program, a->program) && errno != EAGAIN)
    a->to_program.size = a->to_program.at = 0;
  a->control->words_told++;
}

static void wait_for_any(void *user) {
  struct attendant *a = user;
  const short events = a->to_program.size > 0 ? POLLIN | POLLOUT : POLLIN;
  struct pollfd files[] = {{.fd = a->coordinator, .events = POLLIN},
                           {.fd = a->program, .events = events}};
  if (poll(files, 2, a->program < 0 ? WAIT_FOR_END_MS : WAIT_MS) > 0) {
    if (files[0].revents != 0) hear_coordinator(a);
    if (files[1].revents != 0) hear_program(a);
  }
  pass_on(a);
  const bool touched = a->touched < a->control->touched_count;
  tell_state(a, touched);
  if (touched || cli_now() - a->said > SIGN_SECONDS) sign(a);
}

/* ---- the end ---- */

/* Why the exploration is to end, or begin again; NULL: it is not, or *uncontrolled says it. */
static const char *stop_word(const struct attendant *a, bool *uncontrolled) {
  const struct control *c = a->control;
  *uncontrolled = false;
  switch (c->outcome) {
  case OUTCOME_FINISHED:
    return NULL;
  case OUTCOME_FIRST:
    return "first";
  case OUTCOME_AGAIN:
    return "again";
  case OUTCOME_LIMIT:
    if (a->watched.interrupted) return "interrupt";
    return c->stop == STOP_INTERRUPT ? NULL : "memory";
  default:
    *uncontrolled = true;
    return NULL;
  }
}

/* What did not count yet, and how it ended. */
static void leave(struct attendant *a) {
  struct control *c = a->control;
  struct wire_head head = {.kind = WIRE_LEFT};
  bool uncontrolled;
  size_t frame;
  const char *stopped = stop_word(a, &uncontrolled);
  wire_counts_add(&head.counts, &c->counts);
#define ATTEND_SUBTRACT(field) head.counts.field -= a->reported.field;
  WIRE_COUNTS(ATTEND_SUBTRACT)
#undef ATTEND_SUBTRACT
  say(a, WIRE_STATE);
  json_t *left =
      json_pack("{s:s?, s:s?, s:I, s:I, s:I, s:I}", "stopped", stopped, "uncontrolled",
                uncontrolled ? "" : NULL, "events", (json_int_t)c->counts.events, "resumed",
                (json_int_t)c->counts.resumed, "collected", (json_int_t)c->counts.collected, "peak",
                (json_int_t)a->watched.peak_bytes);
  char *text = left != NULL ? json_dumps(left, JSON_COMPACT) : NULL;
  if (text == NULL || !wire_begin(&a->out, &frame)) deserted();
  append(a, text, strlen(text));
  const size_t before = a->out.size;
  tell_touched(a);
  for (uint32_t i = 0; i < c->finding_count; i++)
    tell(a, (struct shared_found){SHARED_FINDING, i, c->findings[i].count - a->findings[i]});
  for (uint64_t i = 0; i < c->races_found && i < RACES_MAX; i++) {
    const uint64_t count = c->races[i].count > 0 ? c->races[i].count : 1;
    tell(a, (struct shared_found){SHARED_RACE, (uint32_t)i, count - a->races[i]});
  }
  tell(a, (struct shared_found){SHARED_LEFT_BEHIND, 0, c->left_behind - a->left_behind});
  tell(a, (struct shared_found){SHARED_GIVEN_UP, 0, c->given_up - a->given_up});
  head.more = (uint32_t)(a->out.size - before);
  finish_frame(a, frame, head);
  send_all(a);
}

/* ---- the program ---- */

/* What is read from a file that this process inherited has a place of its own in it. */
static void own_input(const struct attended *attended) {
  if (attended->input < 0) return;
  const int file = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  dup2(file, STDIN_FILENO);
  close(file);
  lseek(STDIN_FILENO, attended->input, SEEK_SET);
}

static void become(struct attendant *a, int socket) {
  const struct attended *attended = a->attended;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigprocmask(SIG_SETMASK, &attended->watched->signals_before, NULL);
  a->control->settings.items_socket = fcntl(socket, F_DUPFD, SOCKET_LOW);
  become_program(a->control, attended->whole_path, attended->options->arguments, a->memory);
  _exit(127);
}

/* ---- where there are no namespaces ---- */

struct size {
  uint64_t files, bytes;
};
static struct size found_here;

static int add_size(const char *path, const struct stat *information, int kind, struct FTW *where) {
  (void)path, (void)kind, (void)where;
  found_here.files++;
  found_here.bytes += (uint64_t)information->st_size;
  return found_here.files > COPIED_FILES || found_here.bytes > COPIED_BYTES;
}

/* A copy of the working folder, unless it is large, and a folder for temporary files; that others
 * are not written by several workers is watched. */
static void own_folders(struct attendant *a) {
  struct settings *s = &a->control->settings;
  char here[sizeof s->own_folder + 16], temporary[sizeof s->own_folder + 16];
  s->touches_watched = true;
  if (realpath(s->trace_folder, s->own_folder) == NULL) return;
  snprintf(temporary, sizeof temporary, "%s/tmp", s->own_folder);
  snprintf(here, sizeof here, "%s/here", s->own_folder);
  if (mkdir(temporary, 0700) == 0) setenv("TMPDIR", temporary, 1);
  if (nftw(".", add_size, 16, FTW_PHYS) != 0) return;
  const pid_t child = fork();
  int status = 1;
  if (child == 0) {
    close(STDERR_FILENO); /* what cannot be copied is not used */
    execlp("cp", "cp", "-dR", "--preserve=mode,timestamps", ".", here, (char *)NULL);
    _exit(127);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && chdir(here) != 0) deserted();
}

/* The one with a number of those that this process may use, counted round and round. */
static int processor_of(unsigned number) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) == 0) return -1;
  unsigned left = number % (unsigned)CPU_COUNT(&set);
  int processor = 0;
  while (!CPU_ISSET((unsigned)processor, &set) || left-- > 0)
    processor++;
  return processor;
}

static void fill(struct attendant *a, unsigned number) {
  const struct attended *attended = a->attended;
  struct settings *s = &a->control->settings;
  state_know(a->control, attended->known);
  s->max_memory /= attended->count;
  s->max_executions = 0;
  s->report_seconds = wire_report_seconds(attended->count);
  s->processor = processor_of(attended->first + number);
  s->max_seconds = 0;
  if (s->output == OUTPUT_FIRST && (number > 0 || attended->shown[number]))
    s->output = OUTPUT_DISCARD;
  snprintf(s->trace_folder, sizeof s->trace_folder, "%s/%u", attended->folder, number);
  mkdir(s->trace_folder, 0700);
  const unsigned wanted = VIEW_FILES | VIEW_NETWORK;
  if ((*attended->view & VIEW_FILES) == 0)
    own_folders(a);
  else
    snprintf(s->own_folder, sizeof s->own_folder, "/");
  s->touches_watched = (*attended->view & wanted) != wanted;
}

void attend(const struct attended *attended, unsigned number, int socket) {
  static struct attendant a;
  int ends[2];
  if (!view_own(attended->view, attended->folder)) return;
  a.attended = attended;
  a.coordinator = socket;
  a.control = control_new(&a.memory);
  if (a.control == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  fill(&a, number);
  own_input(attended);
  a.watched = (struct watched){.begin = cli_now(), .wait = wait_for_any, .user = &a};
  a.program = ends[0];
  const pid_t child = fork();
  if (child == 0) become(&a, ends[1]);
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  if (child < 0) return;
  watch_program(a.control, child, &a.watched);
  while (a.program >= 0 && hear_program(&a))
    continue;
  leave(&a);
}
