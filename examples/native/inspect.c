/* By ptrace: the process is a child, and stands still while its registers are read. */
#include "inspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "control.h"
#include "control/modules.h"

static bool position_of(pid_t process, uint64_t *address) {
  struct user_regs_struct registers;
  int status;
  if (ptrace(PTRACE_SEIZE, process, NULL, NULL) != 0) return false;
  const bool stopped = ptrace(PTRACE_INTERRUPT, process, NULL, NULL) == 0 &&
                       waitpid(process, &status, 0) == process && WIFSTOPPED(status);
  const bool known = stopped && ptrace(PTRACE_GETREGS, process, NULL, &registers) == 0;
  if (known) *address = registers.rip;
  if (stopped) ptrace(PTRACE_DETACH, process, NULL, NULL);
  return known;
}

/* The file that is mapped there, from its first mapping to its last. */
static bool module_at(pid_t process, uint64_t address, struct module *module) {
  char path[64], line[sizeof module->path + 128], name[sizeof module->path];
  struct module now = {.path = ""};
  bool found = false;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
  FILE *maps = fopen(path, "re");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    uint64_t low, high;
    name[0] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %1023[^\n]", &low, &high, name) < 2)
      continue;
    if (strcmp(name, now.path) != 0) {
      if (found) break;
      now = (struct module){.base = low, .low = low};
      memcpy(now.path, name, sizeof name);
    }
    now.high = high;
    found |= address >= low && address < high && name[0] == '/';
  }
  if (maps != NULL) fclose(maps);
  if (found) *module = now;
  return found;
}

void inspect(struct control *control, pid_t process) {
  uint64_t address;
  if (!position_of(process, &address) || !module_at(process, address, &control->modules[0])) return;
  control->module_count = 1;
  control->stuck.place = address + 1;
  control->stuck.answered = true;
}
