/* Where read-modify-writes are not operations, it is said how many there are. Asked once, when the
 * exploration is over: only what the program had loaded counts, and the answer changes nothing in
 * it. */
#include "count_sites.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "control.h"
#include "control/modules.h"
#include "sites/table.h"

_Noreturn static void become_scanner(const struct control *control, char *const *words,
                                     const int ends[2]) {
  char *const nothing[] = {NULL};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(ends[1], STDOUT_FILENO);
  if (ends[1] != STDOUT_FILENO) close(ends[1]);
  close(ends[0]);
  execve(control->settings.scanner, words, nothing);
  _exit(127);
}

static void take(struct module_sites *sites, const struct site_table *table) {
  *sites = (struct module_sites){.searched = true,
                                 .readable = table->readable != 0,
                                 .functions = table->ranges,
                                 .functions_left = table->ranges_left,
                                 .left = table->left,
                                 .outside = table->outside,
                                 .unknown = table->unknown,
                                 .unknown_at = table->unknown_at,
                                 .places = table->sites};
}

void count_sites(struct control *control) {
  char *words[MODULES_MAX + 3] = {control->settings.scanner, (char[]){"--count"}};
  struct module *asked[MODULES_MAX];
  uint32_t count = 0;
  int ends[2];
  for (uint32_t i = 0; i < control->module_count; i++) {
    if (control->modules[i].excluded) continue;
    words[count + 2] = control->modules[i].path;
    asked[count++] = &control->modules[i];
  }
  if (control->settings.scanner[0] == '\0' || pipe(ends) != 0) return;
  pid_t child = fork();
  if (child == 0) become_scanner(control, words, ends);
  close(ends[1]);
  FILE *in = fdopen(ends[0], "rb");
  struct site_table table;
  for (uint32_t i = 0; in != NULL && child > 0 && i < count; i++) {
    if (fread(&table, sizeof table, 1, in) != 1 || table.magic != SITES_MAGIC) break;
    take(&asked[i]->sites, &table);
  }
  if (in != NULL)
    fclose(in);
  else
    close(ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
}
