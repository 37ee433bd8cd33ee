/* print_output FORM: a form of output for a small program, for render.sh to give to the programs
 * that read it. */
#include <stdio.h>
#include <string.h>

#include "script.h"

static bool print(void *user, const char *text, size_t size) {
  return fwrite(text, 1, size, user) == size;
}

static void add_run(struct session *s, const unf_verdict *verdict) {
  unf_tree_add(s->finished_user, s->x, verdict);
}

/* Everything that Graphviz might take for more than text. */
static size_t name(void *user, uint32_t handle, char *buffer, size_t size) {
  return (size_t)snprintf(buffer, size, "%s %u", (const char *)user, handle);
}

int main(int argc, char **argv) {
  struct script script;
  struct session s = {.finished = add_run};
  unf_configuration *c;
  unf_tree *tree;
  char hostile[] = "\"]; x -> y; \\N\\\"{|}<b>&lt;&nonsense; \n\x01\xff\xc3";
  const unf_names names = {.size = sizeof names, .user = hostile, .thread = name, .object = name};
  const char *form = argc > 1 ? argv[1] : "";
  script_crossing(&script, true);
  unf_status status = session_open(&s, &script, NULL);
  if (status == UNF_OK) status = session_explorer(&s, NULL);
  if (status == UNF_OK) status = unf_tree_new(s.u, &tree);
  if (status != UNF_OK) return 1;
  s.finished_user = tree;
  status = session_explore(&s);
  if (status == UNF_OK) status = unf_configuration_new(s.u, &c);
  if (status != UNF_OK) return 1;
  status = unf_configuration_add(c, unf_unfolding_events(s.u));
  if (strcmp(form, "dot-unfolding") == 0)
    status = unf_dot_unfolding(s.u, print, stdout);
  else if (strcmp(form, "dot-names") == 0)
    status = unf_dot_unfolding_named(s.u, &names, print, stdout);
  else if (strcmp(form, "dot-configuration") == 0)
    status = unf_dot_configuration(c, print, stdout);
  else if (strcmp(form, "dot-tree") == 0)
    status = unf_dot_tree(tree, print, stdout);
  else if (strcmp(form, "json-unfolding") == 0)
    status = unf_json_unfolding(s.u, print, stdout);
  else if (strcmp(form, "json-configuration") == 0)
    status = unf_json_configuration(c, print, stdout);
  else
    status = UNF_INVALID;
  unf_configuration_free(c);
  unf_tree_free(tree);
  session_close(&s);
  return status == UNF_OK ? 0 : 1;
}
