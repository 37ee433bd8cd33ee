/* unfold-model: explores a program of the model language, or replays one of its executions. */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "executions.h"
#include "explore.h"
#include "fragments.h"
#include "jobs.h"
#include "jobs/jobs.h"
#include "jobs/ranks.h"
#include "open.h"
#include "replay.h"
#include "retell.h"
#include "saving.h"
#include "shortening.h"

static unf_status produce_dot(void *user, unf_write write, void *file) {
  struct session *s = user;
  const unf_names names = session_names(s);
  return unf_dot_unfolding_named(s->unfolding, &names, write, file);
}

static unf_status produce_pnml(void *user, unf_write write, void *file) {
  struct session *s = user;
  const unf_names names = session_names(s);
  return unf_pnml_prefix(unf_explorer_cutoffs(s->explorer), &names, write, file);
}

/* Writes the net, and says if it is a part of the prefix only. */
static void save_net(struct session *s) {
  if (s->explorer == NULL) { /* a limit was met before anything was explored */
    cli_say(stderr, "unfold-model: %s: nothing was explored", s->options.pnml);
    s->failed = true;
    return;
  }
  if (!cli_save(CLI_MODEL, s->options.pnml, produce_pnml, s)) s->failed = true;
  if (!s->result.finished)
    cli_say(stderr, "unfold-model: %s: a part of the prefix, as far as it was explored",
            s->options.pnml);
}

static int explore(struct session *s) {
  struct cli_result *r = &s->result;
  double begin = cli_now();
  if (!executions_open(s)) return CLI_USAGE;
  cli_interrupt_watch(s->context);
  int begun = CLI_CLEAN;
  if (cli_shares(&s->options))
    begun = session_jobs(s);
  else
    session_explore(s);
  executions_close(s);
  r->seconds = cli_now() - begin;
  cli_progress_end(&s->progress);
  cli_interrupt_watch(NULL);
  if (s->inputs.again) return CLI_CLEAN;
  if (s->unreadable) return CLI_USAGE;
  if (begun != CLI_CLEAN) return begun;
  if (s->options.shorten) session_shorten(s);
  if (s->inputs.open) {
    if (r->more == NULL) r->more = json_object();
    json_object_set_new(r->more, "solver", inputs_statistics(s));
  }
  int status = cli_result_print(r);
  if (cli_shares(&s->options) && !s->options.json) jobs_print(json_object_get(r->more, "jobs"));
  if (s->inputs.open) cli_races_print(r);
  if (s->options.dot != NULL && !cli_save(CLI_MODEL, s->options.dot, produce_dot, s))
    s->failed = true;
  if (s->options.pnml != NULL) save_net(s);
  if (s->options.report != NULL) retell(s);
  return status;
}

static int run(struct session *s) {
  if (!session_can_hash(s)) {
    cli_say(stderr, "unfold-model: no strong hash: built without libsodium");
    return CLI_USAGE;
  }
  int loaded = session_load(s, NULL, 0);
  if (loaded != CLI_CLEAN) return loaded;
  if (!cli_folder_prepare(CLI_MODEL, s->options.trace_dir)) return CLI_USAGE;
  s->result.tool = CLI_MODEL;
  s->result.program = s->file;
  s->result.options = &s->options;
  s->result.estimate.left = s->result.estimate.error = -1;
  unf_status status = session_open_library(s);
  if (status != UNF_OK) {
    /* A limit that the names alone meet: nothing was explored. */
    s->result.stopped = cli_stop_word(s->context, status);
    if (s->result.stopped != NULL) return cli_result_print(&s->result);
    cli_say(stderr, "unfold-model: %s: %s", s->shown, unf_status_text(status));
    return CLI_USAGE;
  }
  if (s->options.replay != NULL) return session_replay(s);
  if (s->options.mpi && ranks_count() == 0 && !ranks_begin(CLI_MODEL)) return CLI_USAGE;
  if (s->options.mpi && ranks_own() > 0) {
    session_serve(s);
    return CLI_CLEAN;
  }
  int saved = saving_open(s);
  return saved == CLI_CLEAN ? explore(s) : saved;
}

/* Once more from the beginning, if it has shown what has to be known from there on. */
static bool begin_again(struct session *s) {
  const struct session before = *s;
  if (!s->inputs.again) return false;
  s->shown = NULL;
  session_close(s);
  memset(s, 0, sizeof *s);
  s->options = before.options;
  s->file = before.file;
  s->shown = before.shown;
  s->start = before.start;
  s->inputs.apart = before.inputs.apart;
  s->inputs.by_terms = before.inputs.by_terms;
  s->options.go_on = NULL; /* what was saved does not count any more */
  return true;
}

int main(int argc, char **argv) {
  struct session session;
  memset(&session, 0, sizeof session);
  cli_streams_begin();
  int status = cli_options_read(CLI_MODEL, argc, argv, &session.options);
  if (status >= 0) return status;
  session.file = session.options.arguments[0];
  session.shown = cli_show(session.file);
  if (session.shown == NULL) {
    cli_say(stderr, "unfold-model: no memory");
    return CLI_STOPPED;
  }
  session.start = cli_now();
  do
    status = run(&session);
  while (begin_again(&session));
  status = cli_output_status(CLI_MODEL, status);
  if (session.failed)
    status = cli_failed_status(status, CLI_USAGE);
  else if (session.refused && status == CLI_CLEAN)
    status = CLI_STOPPED;
  index_free(&session.inputs.apart.places);
  session_close(&session);
  return status;
}
