/*
 * Around the library. A signal handler has nothing but static storage to find the context, so one
 * exploration at a time can be watched in a process; unf_context_interrupt() is made to be called
 * from there.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

/* A file to be read has no more bytes; a device may never end. */
#define FILE_MOST ((size_t)1 << 28)

static unf_context *volatile watched;
static volatile sig_atomic_t came;

/* Only the first counts: a second one would change what the first has ended. */
static void on_signal(int number) {
  if (came == 0 && watched != NULL) unf_context_interrupt(watched);
  came = 1;
}

void cli_interrupt_watch(unf_context *context) {
  static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = on_signal;
  watched = context;
  for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++) {
    bool ignored = interrupts[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 &&
                   before.sa_handler == SIG_IGN; /* nohup */
    if (!ignored) sigaction(interrupts[i], &action, NULL);
  }
}

bool cli_interrupt_came(void) {
  return came != 0;
}

const char *cli_stop_word(const unf_context *context, unf_status status) {
  static const struct {
    const char *text, *word;
  } limits[] = {{"runs", "executions"}, {"events", "events"}, {"seconds", "seconds"}};
  if (status == UNF_INTERRUPTED) return "interrupt";
  if (status == UNF_MEMORY) return "out of memory";
  if (status != UNF_LIMIT) return NULL;
  if (context == NULL) return "memory";
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    if (strstr(unf_context_detail(context)->text, limits[i].text) != NULL) return limits[i].word;
  }
  return "memory";
}

const char *cli_bound_word(const unf_counts *counts) {
  static const char *const words[] = {NULL, "switches", "preemptions", "switches, preemptions"};
  return words[counts->bounds & (UNF_BOUND_SWITCHES | UNF_BOUND_PREEMPTIONS)];
}

static void (*size_before)(int), (*pipe_before)(int);

void cli_streams_begin(void) {
  size_before = signal(SIGXFSZ, SIG_IGN);
  pipe_before = signal(SIGPIPE, SIG_IGN);
  for (int stream = 0; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    /* The other way round, so that using it fails. The lowest free number is this one. */
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) return;
  }
}

void cli_streams_restore(void) {
  signal(SIGXFSZ, size_before);
  signal(SIGPIPE, pipe_before);
}

int cli_failed_status(int status, enum cli_status failure) {
  return status == CLI_CLEAN || status == CLI_UNSEEN || status == CLI_STOPPED ? (int)failure
                                                                              : status;
}

int cli_output_status(enum cli_program program, int status) {
  errno = 0;
  bool flushed = fflush(stdout) == 0;
  if (flushed && !ferror(stdout)) return status;
  cli_say(stderr, "%s: standard output could not be written%s%s", cli_program_name(program),
          flushed ? "" : ": ", flushed ? "" : strerror(errno));
  return cli_failed_status(status, CLI_STOPPED);
}

/* Says why a file was not written, and puts it into errno; true: it was. */
static bool written(enum cli_program program, const char *path, unf_status status, int reason) {
  if (status == UNF_OK) return true;
  cli_say(stderr, "%s: %s: %s", cli_program_name(program), path,
          status == UNF_WRITE && reason != 0 ? strerror(reason) : unf_status_text(status));
  errno = status == UNF_MEMORY ? ENOMEM : status == UNF_WRITE ? reason : 0;
  return false;
}

bool cli_save(enum cli_program program, const char *path, save_producer produce, void *user) {
  int reason;
  unf_status status = save_through(path, produce, user, &reason);
  return written(program, path, status, reason);
}

/* Makes the folder of a path, and those that it is in, where they are not there yet. */
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
  }
}

bool cli_folder_prepare(enum cli_program program, const char *folder) {
  struct stat status;
  char *path = folder != NULL ? strdup(folder) : NULL;
  if (folder == NULL) return true;
  if (path != NULL) make_folders(path);
  free(path);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    cli_say(stderr, "%s: %s: %s", cli_program_name(program), folder, strerror(errno));
    return false;
  }
  if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && access(folder, W_OK | X_OK) == 0)
    return true;
  cli_say(stderr, "%s: %s: no folder that can be written to", cli_program_name(program), folder);
  return false;
}

static unf_status produce_schedule(void *schedule, unf_write write, void *file) {
  return unf_schedule_write(schedule, write, file);
}

bool cli_schedule_write(enum cli_program program, const unf_schedule *schedule, const char *folder,
                        const char *name) {
  size_t room = strlen(name) + (folder != NULL ? strlen(folder) : 0) + 2;
  char *path = malloc(room);
  if (path == NULL) {
    cli_say(stderr, "%s: no memory for a file name", cli_program_name(program));
    errno = ENOMEM;
    return false;
  }
  snprintf(path, room, "%s%s%s", folder != NULL ? folder : "", folder != NULL ? "/" : "", name);
  union {
    const unf_schedule *in;
    void *out;
  } user = {schedule};
  int reason;
  unf_status status = save_whole(path, produce_schedule, user.out, &reason);
  bool good = written(program, path, status, reason);
  free(path);
  return good;
}

bool cli_schedule_save(enum cli_program program, const unf_schedule *schedule, const char *folder,
                       size_t number, char *name, size_t size) {
  snprintf(name, size, "trace-%zu.unfs", number);
  return cli_schedule_write(program, schedule, folder, name);
}

char *cli_read_file(enum cli_program program, const char *path, size_t *size, int *status) {
  size_t capacity = 0, count = 0;
  char *text = NULL;
  errno = 0;
  FILE *file = fopen(path, "rb");
  bool good = file != NULL;
  while (good && !feof(file)) {
    if (capacity - count < 4096) {
      capacity = 2 * capacity + 8192;
      char *bigger = realloc(text, capacity);
      good = bigger != NULL;
      if (!good) break;
      text = bigger;
    }
    count += fread(text + count, 1, capacity - count - 1, file);
    good = !ferror(file);
    if (count <= FILE_MOST) continue;
    errno = EFBIG;
    good = false;
  }
  if (!good) {
    *status = errno == ENOMEM ? CLI_STOPPED : CLI_USAGE;
    cli_say(stderr, "%s: %s: %s", cli_program_name(program), path,
            errno != 0 ? strerror(errno) : "cannot be read");
    free(text);
    text = NULL;
  }
  if (file != NULL) fclose(file);
  if (text != NULL) text[count] = '\0';
  *size = count;
  return text;
}

unf_schedule *cli_schedule_load(enum cli_program program, unf_unfolding *unfolding,
                                const char *path, int *status) {
  size_t size;
  unf_schedule *schedule = NULL;
  char *text = cli_read_file(program, path, &size, status);
  if (text == NULL) return NULL;
  unf_status read = unf_schedule_read(unfolding, text, size, &schedule);
  free(text);
  if (read == UNF_OK) return schedule;
  *status = read == UNF_MEMORY ? CLI_STOPPED : CLI_USAGE;
  const unf_detail *detail = unf_context_detail(unf_unfolding_context(unfolding));
  cli_say(stderr, "%s:%" PRIu64 ":%" PRIu64 ": %s\n", path, detail->step > 0 ? detail->step : 1,
          detail->place > 0 ? detail->place : 1, detail->text);
  return NULL;
}
