#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "code.h"
#include "options.h"
#include "session.h"
#include "text.h"

/* What a process may use that reads a file from outside. */
enum { PROCESSOR_SECONDS = 600 };
#define MEMORY (UINT64_C(4) << 30)

char *load_beside(const char *name) {
  char own[4096];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  own[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(own, '/');
  const size_t folder = slash != NULL ? (size_t)(slash - own) + 1 : 0;
  char *path = malloc(folder + strlen(name) + 1);
  if (path == NULL) return NULL;
  memcpy(path, own, folder);
  memcpy(path + folder, name, strlen(name) + 1);
  return path;
}

static int no_memory(void) {
  cli_say(stderr, "unfold-sym: no memory for the program");
  return CLI_STOPPED;
}

/* ---- signals ---- */

/* Signals that end this program wait until the folder for what is compiled is gone. */
static sigset_t ending, before;

/* How long such a signal is not looked for. */
enum { PAUSE_MS = 20 };

static void hold_signals(void) {
  sigset_t held;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGHUP);
  held = ending;
  sigaddset(&held, SIGCHLD); /* what waits for that is woken up */
  sigprocmask(SIG_BLOCK, &held, &before);
}

static bool is_to_end(void) {
  sigset_t waiting, wanted;
  sigpending(&waiting);
  return sigandset(&wanted, &waiting, &ending) == 0 && !sigisemptyset(&wanted);
}

/* ---- processes ---- */

static void become(char *const *arguments, int output) {
#ifdef LIMIT_MEMORY
  const struct rlimit memory = {MEMORY, MEMORY};
  setrlimit(RLIMIT_AS, &memory);
#endif
  const struct rlimit seconds = {PROCESSOR_SECONDS, PROCESSOR_SECONDS};
  setrlimit(RLIMIT_CPU, &seconds);
  cli_streams_restore();
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (output < 0 || dup2(output, STDOUT_FILENO) >= 0) execvp(arguments[0], arguments);
  fprintf(stderr, "%s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

/* How a process ended: true if it was well, else that was said, unless the process said it. */
static bool ended_well(const char *what, int status) {
  if (WIFSIGNALED(status))
    cli_say(stderr, "unfold-sym: %s was ended by signal %d while it read the program", what,
            WTERMSIG(status));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum { STATUS_NO_MEMORY = 3 }; /* of unfold-bitcode */

/* A process does not go on for a program that is to end. */
static bool wait_for(const char *what, pid_t pid, bool *refused) {
  const struct timespec pause = {0, PAUSE_MS * 1000 * 1000};
  sigset_t child;
  int status = 0;
  pid_t ended;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
    if (is_to_end()) kill(pid, SIGTERM);
    sigtimedwait(&child, NULL, &pause);
  }
  if (ended < 0 || is_to_end()) return false;
  *refused = WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NO_MEMORY;
  return ended_well(what, status);
}

/* ---- C to bitcode ---- */

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), size = strlen(end);
  return length >= size && strcmp(text + length - size, end) == 0;
}

enum { FLAGS_MAX = 64 };

/* Splits a text at its spaces, which become ends. */
static int split(char *text, char **words) {
  int count = 0;
  for (char *word = strtok(text, " "); word != NULL && count < FLAGS_MAX; word = strtok(NULL, " "))
    words[count++] = word;
  return count;
}

/* CLANG is the path of clang that Meson found, whose version is that of the library that reads.
 * With its last flag no variable is read earlier than in the program, or where that does not, which
 * could be a data race of the translation alone. An exit status. */
static int compile(const char *file, const char *output, const char *flags) {
  static const char *const fixed[] = {CLANG,
                                      "-O0",
                                      "-g",
                                      "-emit-llvm",
                                      "-c",
                                      "-Wno-everything",
                                      "-fno-discard-value-names",
                                      "-mllvm",
                                      "-force-attribute=sanitize_thread"};
  enum { FIXED = sizeof fixed / sizeof *fixed };
  char *arguments[FIXED + FLAGS_MAX + 5];
  char *copy = strdup(flags != NULL ? flags : "");
  int count = 0;
  if (copy == NULL) return no_memory();
  for (; count < FIXED; count++)
    arguments[count] = (char *)(uintptr_t)fixed[count];
  count += split(copy, arguments + count);
  char *const last[] = {"-o", (char *)(uintptr_t)output, "--", (char *)(uintptr_t)file, NULL};
  memcpy(arguments + count, last, sizeof last);
  fflush(stderr);
  const pid_t pid = fork();
  if (pid == 0) become(arguments, -1);
  free(copy);
  bool refused;
  if (pid < 0) return no_memory();
  return wait_for("clang", pid, &refused) ? CLI_CLEAN : CLI_USAGE;
}

/* ---- bitcode to the compact form ---- */

/* Waits for something to read from a process. */
static void wait_to_read(int from, pid_t pid) {
  struct pollfd file = {.fd = from, .events = POLLIN};
  while (poll(&file, 1, PAUSE_MS) == 0)
    if (is_to_end()) kill(pid, SIGTERM);
}

static char *read_all(int from, pid_t pid, size_t *size) {
  size_t room = 1 << 16;
  char *data = malloc(room);
  *size = 0;
  while (data != NULL) {
    if (*size == room) {
      char *larger = room < MEMORY ? realloc(data, 2 * room) : NULL;
      if (larger == NULL) break;
      data = larger;
      room *= 2;
    }
    wait_to_read(from, pid);
    const ssize_t count = read(from, data + *size, room - *size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return data;
    *size += (size_t)count;
  }
  free(data);
  return NULL;
}

/* `names` are those that were given. */
static int translate(struct code *code, char **names, char **files, int count) {
  int ends[2];
  size_t size = 0, at;
  const char *wrong;
  char *program = load_beside("unfold-bitcode");
  char **arguments = calloc((size_t)count + 2, sizeof *arguments);
  if (program == NULL || arguments == NULL || pipe(ends) != 0) {
    free(program);
    free(arguments);
    return no_memory();
  }
  arguments[0] = program;
  memcpy(arguments + 1, files, (size_t)count * sizeof *files);
  const pid_t pid = fork();
  if (pid == 0) become(arguments, ends[1]);
  close(ends[1]);
  char *data = pid > 0 ? read_all(ends[0], pid, &size) : NULL;
  close(ends[0]);
  bool refused = false;
  const bool well = pid > 0 && wait_for("unfold-bitcode", pid, &refused);
  free(program);
  free(arguments);
  if (!well || data == NULL) {
    free(data);
    if (well || refused) return no_memory();
    for (int i = 0; i < count; i++)
      cli_say(stderr, "unfold-sym: %s: not translated", names[i]);
    return CLI_USAGE;
  }
  if (code_read(code, data, size, &wrong, &at)) return CLI_CLEAN;
  if (wrong == NULL) return no_memory();
  cli_say(stderr, "unfold-sym: the translated program, byte %zu: %s", at, wrong);
  return CLI_USAGE;
}

/* ---- both ---- */

struct built {
  char folder[4096];
  char **files; /* those of bitcode */
  int count;
  char **made; /* those that are ours, to be removed */
  int made_count;
};

static int add(struct built *b, char *file, const char *flags) {
  char path[sizeof b->folder + 16];
  if (ends_with(file, ".bc")) {
    b->files[b->count++] = file;
    return CLI_CLEAN;
  }
  snprintf(path, sizeof path, "%s/%d.bc", b->folder, b->made_count);
  char *made = strdup(path);
  if (made == NULL) return no_memory();
  b->made[b->made_count++] = made;
  b->files[b->count++] = made;
  return compile(file, made, flags);
}

int load_program(struct code *code, char **files, int count, const char *clang_flags) {
  struct built b = {0};
  const char *temporary = getenv("TMPDIR");
  snprintf(b.folder, sizeof b.folder, "%s/unfold-sym-XXXXXX",
           temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
  int status = CLI_CLEAN;
  b.files = calloc((size_t)count + 1, sizeof *b.files);
  b.made = calloc((size_t)count + 1, sizeof *b.made);
  hold_signals();
  const bool made = b.files != NULL && b.made != NULL && mkdtemp(b.folder) != NULL;
  if (!made) status = no_memory();
  for (int i = 0; status == CLI_CLEAN && i < count; i++)
    status = add(&b, files[i], clang_flags);
  if (status == CLI_CLEAN) status = translate(code, files, b.files, b.count);
  for (int i = 0; i < b.made_count; i++) {
    unlink(b.made[i]);
    free(b.made[i]);
  }
  if (made) rmdir(b.folder);
  sigprocmask(SIG_SETMASK, &before, NULL);
  free(b.files);
  free(b.made);
  return status;
}
