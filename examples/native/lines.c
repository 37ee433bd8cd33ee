/* Addresses as people read them, lines by addr2line of binutils. Each address is asked for once.
 * Return addresses are looked up one byte earlier, because the line of the call is wanted and not
 * the one after it. */
#include "lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control.h"
#include "control/modules.h"
#include "control/object_kinds.h"
#include "control/texts.h"
#include "labels.h"

struct answer {
  uint64_t address; /* as control_place() has it: modules may be elsewhere when it is asked again */
  char *text;
  struct answer *next;
};

static const struct module *module_of(const struct control *control, uint64_t address) {
  for (uint32_t i = 0; i < control->module_count; i++)
    if (address >= control->modules[i].low && address < control->modules[i].high)
      return &control->modules[i];
  return NULL;
}

const char *module_short_name(const struct module *module) {
  const char *slash = strrchr(module->path, '/');
  return slash != NULL ? slash + 1 : module->path;
}

FILE *command_start(char *const *command, pid_t *child) {
  int ends[2];
  if (pipe(ends) != 0) return NULL;
  *child = fork();
  if (*child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (freopen("/dev/null", "w", stderr) != NULL) execvp(command[0], command);
    _exit(127);
  }
  close(ends[1]);
  FILE *stream = *child > 0 ? fdopen(ends[0], "r") : NULL;
  if (stream == NULL) close(ends[0]);
  return stream;
}

void command_stop(FILE *stream, pid_t child) {
  fclose(stream);
  waitpid(child, NULL, 0);
}

/* What addr2line with an option says of an address: its function, its line, that with the path. */
static bool ask_line(const struct module *module, uint64_t offset, char *option, char *text,
                     int size) {
  char number[32];
  snprintf(number, sizeof number, "0x%" PRIx64, offset);
  char *command[] = {"addr2line", option, "-e", (char *)(uintptr_t)module->path, number, NULL};
  pid_t child;
  FILE *stream = command_start(command, &child);
  if (stream == NULL) return false;
  bool found = fgets(text, size, stream) != NULL && strncmp(text, "??", 2) != 0 &&
               strstr(text, ":?") == NULL;
  command_stop(stream, child);
  char *behind = strstr(text, " (discriminator");
  if (behind != NULL) *behind = '\0';
  text[strcspn(text, "\n")] = '\0';
  return found;
}

static const char *recall(const struct answer *answers, uint64_t address) {
  while (answers != NULL && answers->address != address)
    answers = answers->next;
  return answers != NULL ? answers->text : NULL;
}

/* The text as it is kept, or NULL without memory. */
static const char *remember(struct answer **answers, uint64_t address, const char *text) {
  struct answer *a = malloc(sizeof *a);
  char *copy = strdup(text);
  if (a == NULL || copy == NULL) {
    free(a);
    free(copy);
    return NULL;
  }
  *a = (struct answer){address, copy, *answers};
  *answers = a;
  return copy;
}

const char *line_of(const struct control *control, uint64_t address) {
  static struct answer *answers;
  const uint64_t place = control_place(control, address);
  const char *known = recall(answers, place);
  if (known != NULL) return known;
  const struct module *module = module_of(control, address - 1);
  if (address == 0 || module == NULL) return NULL;
  char text[TEXT_SIZE];
  uint64_t offset = address - 1 - module->base;
  if (!ask_line(module, offset, "-si", text, sizeof text))
    snprintf(text, sizeof text, "%.200s+0x%" PRIx64, module_short_name(module), offset);
  return remember(&answers, place, text);
}

/* What the line tool says of an address, asked once; NULL: nothing. */
static const char *asked_of(const struct control *control, uint64_t address, char *option,
                            struct answer **answers) {
  const uint64_t place = control_place(control, address);
  const char *known = recall(*answers, place);
  const struct module *module = module_of(control, address - 1);
  char text[TEXT_SIZE];
  if (known != NULL) return known;
  if (module == NULL || !ask_line(module, address - 1 - module->base, option, text, sizeof text))
    return NULL;
  return remember(answers, place, text);
}

const char *function_of(const struct control *control, uint64_t address) {
  static struct answer *answers;
  return asked_of(control, address, "-sif", &answers);
}

const char *source_of(const struct control *control, uint64_t address) {
  static struct answer *answers;
  return asked_of(control, address, "-i", &answers);
}

bool symbol_of(const struct control *control, uint64_t address, char *text, size_t size) {
  const struct module *module = module_of(control, address);
  if (module != NULL) variable_in(module, address - module->base, text, size);
  return module != NULL;
}

void variable_text(const struct control *control, enum object_kind kind, uint64_t address,
                   const char *name, char *text, size_t size) {
#define OBJECT_KIND_TEXT(name, text) text,
  static const char *const kinds[] = {OBJECT_KIND_TABLE(OBJECT_KIND_TEXT)};
#undef OBJECT_KIND_TEXT
  char symbol[NAME_SIZE * 2];
  if (symbol_of(control, address, symbol, sizeof symbol))
    snprintf(text, size, "%s %s", kinds[kind], symbol);
  else
    snprintf(text, size, "%s%s%s", name[0] != '\0' ? kinds[kind] : "", name[0] != '\0' ? " " : "",
             name);
}
