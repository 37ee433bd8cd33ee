/* The launcher's side of the process under test. The program is started with its own arguments and
 * environment but for three variables, which the library takes out again, and with addresses that
 * are the same every time where the system allows that. */
#include "launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <session.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <text.h>
#include <unistd.h>

#include "control.h"
#include "control/settings.h"
#include "sanitizer.h"

static bool complain(const char *what, const char *why) {
  cli_say(stderr, "unfold: %s: %s", what, why);
  return false;
}

/* Memory of System V: a limit on the size of files is not one on it. It is gone with the last
 * process that has it, and until then others can find it by its number. */
struct control *control_new(int *memory) {
  struct control *control = (void *)-1;
  *memory = shmget(IPC_PRIVATE, sizeof *control, IPC_CREAT | 0600);
  if (*memory >= 0) control = shmat(*memory, NULL, 0);
  if (control == (void *)-1) complain("shared memory", strerror(errno));
  if (*memory >= 0) shmctl(*memory, IPC_RMID, NULL);
  if (control == (void *)-1) return NULL;
  control->magic = CONTROL_MAGIC;
  control->size = sizeof *control;
  return control;
}

bool find_program(const char *name, char *path, size_t size) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/') != NULL || folders == NULL) {
    snprintf(path, size, "%s", name);
    return access(path, X_OK) == 0 || complain(name, strerror(errno));
  }
  while (*folders != '\0') {
    size_t length = strcspn(folders, ":");
    snprintf(path, size, "%.*s/%s", (int)length, length > 0 ? folders : ".", name);
    if (access(path, X_OK) == 0) return true;
    folders += length + (folders[length] == ':');
  }
  return complain(name, "no such program");
}

static const char *unsuited_header(const Elf64_Ehdr *head, int file) {
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
    return "is no executable program (name the interpreter of a script)";
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64)
    return "is not a program for x86-64";
  for (unsigned i = 0; i < head->e_phnum; i++) {
    Elf64_Phdr part;
    off_t at = (off_t)(head->e_phoff + i * sizeof part);
    if (pread(file, &part, sizeof part, at) == (ssize_t)sizeof part && part.p_type == PT_INTERP)
      return NULL;
  }
  return "is statically linked: nothing in it can be intercepted";
}

const char *program_unsuited(const char *path) {
  Elf64_Ehdr head = {.e_phnum = 0};
  struct stat information;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return "cannot be read";
  const char *why =
      pread(file, &head, sizeof head, 0) < 0 ? "cannot be read" : unsuited_header(&head, file);
  if (why == NULL && fstat(file, &information) == 0 &&
      (information.st_mode & (S_ISUID | S_ISGID)) != 0)
    why = "runs with the rights of its owner, so that nothing can be preloaded";
  if (why == NULL) why = sanitizer_unsuited(file);
  close(file);
  return why;
}

/* Beside the launcher, in the library folder of the installation it is in, or where it was
 * installed to. */
static bool find_library(char *path, size_t size) {
  char here[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
  here[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(here, '/');
  if (slash != NULL) *slash = '\0';
  const char *const folders[] = {"", "/../" NATIVE_LIBDIR "/unfold"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    int needed = snprintf(path, size, "%s%s/unfold-preload.so", here, folders[i]);
    if (needed < (int)size && access(path, R_OK) == 0) return true;
  }
  snprintf(path, size, "%s", NATIVE_PRELOAD);
  return access(path, R_OK) == 0 || complain(path, "the library to preload is missing");
}

/* The scanner lies beside the library, if it was built. */
static void find_scanner(struct settings *settings, const char *library) {
  const char *slash = strrchr(library, '/');
  int needed = snprintf(settings->scanner, sizeof settings->scanner, "%.*s/unfold-sites",
                        (int)(slash - library), library);
  if (needed >= (int)sizeof settings->scanner || access(settings->scanner, X_OK) != 0)
    settings->scanner[0] = '\0';
}

bool find_tools(struct settings *settings) {
  char library[PATH_MAX];
  if (!find_library(library, sizeof library)) return false;
  find_scanner(settings, library);
  return true;
}

/* With the library that watches memory in front of the one that it belongs to, if it is wanted, and
 * a sanitizer's in front of all. */
static void name_libraries(char *libraries, size_t size, const char *library, const char *program,
                           bool memory) {
  const char *slash = strrchr(library, '/');
  char checker[NAME_SIZE];
  sanitizer_library(program, checker);
  int length = snprintf(libraries, size, "%s%s", checker, checker[0] != '\0' ? ":" : "");
  if (memory)
    length += snprintf(libraries + length, size - (size_t)length,
                       "%.*s/unfold-memory.so:", (int)(slash - library), library);
  snprintf(libraries + length, size - (size_t)length, "%s", library);
}

void become_program(struct control *control, const char *path, char **arguments, int memory) {
  char library[PATH_MAX], libraries[2 * PATH_MAX + 2 * NAME_SIZE], number[16];
  if (!find_library(library, sizeof library)) return;
  name_libraries(libraries, sizeof libraries, library, path,
                 control->settings.races || control->settings.moves || sanitizer_wanted(path));
  snprintf(number, sizeof number, "%d", memory);
  find_scanner(&control->settings, library);
  int now = personality(0xffffffff);
  /* Libraries at the upper end of the address space would leave no room above them for jumps. */
  const unsigned long layout = control->settings.sites ? ADDR_COMPAT_LAYOUT : 0;
  if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE | layout) < 0)
    cli_say(stderr, "unfold: addresses stay random here; names of objects do not depend on them");
  cli_streams_restore();
  if (setenv("LD_PRELOAD", libraries, 1) != 0 || setenv("LD_BIND_NOW", "1", 1) != 0 ||
      setenv(CONTROL_VARIABLE, number, 1) != 0 || !sanitizer_options(path))
    complain("environment", strerror(errno));
  else
    execv(path, arguments);
  complain(path, strerror(errno));
}

bool run_program(struct control *control, const char *path, char **arguments, int memory,
                 struct watched *watched) {
  pid_t child = fork();
  if (child < 0) return complain("fork", strerror(errno));
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &watched->signals_before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    become_program(control, path, arguments, memory);
    _exit(127);
  }
  watch_program(control, child, watched);
  return true;
}
