/* Explorations written down: which can be, and what must be the same where one goes on. */
#include "exploration/image/image.h"

#include <string.h>
#include <unfold/continue.h>

#include "base/null.h"
#include "exploration/explorer.h"
#include "exploration/image/events.h"
#include "exploration/image/names.h"
#include "exploration/image/position.h"
#include "exploration/options.h"
#include "exploration/protocol.h"
#include "exploration/strategies/strategies.h"
#include "extension/adds.h"

enum { MAGIC_SIZE = sizeof IMAGE_MAGIC - 1, VERSION_SIZE = 4 };

/* ---- options ---- */

/* Options that decide what is explored, as numbers; algorithm and order stand before them. */
#define OPTION_ROWS(ROW)                                                                           \
  ROW("alternative.k", o->alternative.k)                                                           \
  ROW("alternative.singleton", o->alternative.singleton)                                           \
  ROW("alternative.spikes", o->alternative.spikes)                                                 \
  ROW("alternative.candidates", o->alternative.candidates)                                         \
  ROW("alternative.greedy", o->alternative.greedy)                                                 \
  ROW("max_switches", o->max_switches)                                                             \
  ROW("max_preemptions", o->max_preemptions)                                                       \
  ROW("cutoffs", o->cutoffs)

/* Options that decide what is explored where executions are drawn. */
#define DRAWN_ROWS(ROW)                                                                            \
  ROW("seed", o->seed)                                                                             \
  ROW("steps", o->steps)                                                                           \
  ROW("depth", o->depth)

static void write_options(const unf_explorer *x, struct bytes_out *out) {
  const unf_explorer_options *o = &x->options;
  unfi_bytes_put_text(out, x->strategy->name);
  unfi_bytes_put_text(out, x->order->name);
#define OPTION_WRITTEN(name, value) unfi_bytes_put(out, (uint64_t)(value));
  OPTION_ROWS(OPTION_WRITTEN)
  if (!x->strategy->samples) return;
  DRAWN_ROWS(OPTION_WRITTEN)
#undef OPTION_WRITTEN
}

/* An option is not what it was. */
static void note_other(struct bytes_in *in, const char *option, bool same) {
  if (in->status != UNF_OK || same) return;
  unf_status status = unfi_fail(in->context, UNF_INVALID, "unf_explorer_options.", option,
                                " is not that of the exploration that was written");
  unfi_bytes_note(in, status);
}

static unf_status check_options(const unf_explorer *x, struct bytes_in *in) {
  const unf_explorer_options *o = &x->options;
  note_other(in, "algorithm", unfi_bytes_get_same(in, x->strategy->name));
  note_other(in, "order", unfi_bytes_get_same(in, x->order->name));
#define OPTION_CHECKED(name, value) note_other(in, name, unfi_bytes_get(in) == (uint64_t)(value));
  OPTION_ROWS(OPTION_CHECKED)
  if (!x->strategy->samples) return in->status;
  DRAWN_ROWS(OPTION_CHECKED)
#undef OPTION_CHECKED
  return in->status;
}

/* Whether such an explorer can be written down. */
static unf_status check_supported(const unf_explorer *x, const char *call) {
  unf_context *context = x->u->context;
  if (x->order->write == NULL)
    return unfi_fail(context, UNF_UNSUPPORTED, call, " with order ", x->order->name);
  if (x->u->consistency != NULL)
    return unfi_fail(context, UNF_UNSUPPORTED, call, " with unf_unfolding_set_consistency()");
  if (x->item.begun)
    return unfi_fail(context, UNF_UNSUPPORTED, call, " with unf_explorer_begin_item()");
  return UNF_OK;
}

/* ---- writing ---- */

static void write_head(struct bytes_out *out) {
  uint8_t version[VERSION_SIZE] = {IMAGE_VERSION};
  unfi_bytes_raw(out, IMAGE_MAGIC, MAGIC_SIZE);
  unfi_bytes_raw(out, version, sizeof version);
}

unf_status unf_explorer_write(const unf_explorer *x, unf_write write, void *user) {
  RETURN_IF_NULL(x->u->context, x, write);
  struct bytes_out out;
  if (x->state != IDLE) return unfi_wrong_state(x, "write");
  unf_status status = check_supported(x, "unf_explorer_write()");
  if (status != UNF_OK) return status;
  if (!unfi_bytes_begin(&out, x->u->context, write, user)) return unfi_refused(x->u->context);
  write_head(&out);
  write_options(x, &out);
  unfi_names_write(x->u, &out);
  status = unfi_events_write(x, &out);
  if (status == UNF_OK) unfi_explorer_cutoffs_write(x, &out);
  if (status == UNF_OK) status = unfi_position_write(x, &out);
  unf_status written = unfi_bytes_end(&out);
  return status == UNF_OK ? written : status;
}

/* ---- reading ---- */

static unf_status read_head(struct bytes_in *in) {
  uint8_t head[MAGIC_SIZE + VERSION_SIZE];
  unfi_bytes_raw_in(in, head, MAGIC_SIZE);
  if (in->status == UNF_OK && memcmp(head, IMAGE_MAGIC, MAGIC_SIZE) != 0)
    unfi_bytes_note(in, unfi_fail(in->context, UNF_FORMAT, "byte 0: no exploration"));
  in->before = MAGIC_SIZE;
  unfi_bytes_raw_in(in, head, VERSION_SIZE);
  static const uint8_t version[VERSION_SIZE] = {IMAGE_VERSION};
  if (in->status == UNF_OK && memcmp(head, version, VERSION_SIZE) != 0)
    unfi_bytes_note(in, unfi_fail(in->context, UNF_UNSUPPORTED,
                                  "an exploration in another version of the format"));
  in->before += VERSION_SIZE;
  return in->status;
}

static unf_status read_all(unf_explorer *x, struct bytes_in *in) {
  unf_status status = read_head(in);
  if (status == UNF_OK) status = check_options(x, in);
  if (status == UNF_OK) status = unfi_names_read(x->u, in);
  if (status == UNF_OK) status = unfi_events_read(x, in);
  if (status == UNF_OK) status = unfi_explorer_cutoffs_read(x, in);
  if (status == UNF_OK) status = unfi_position_read(x, in);
  if (status == UNF_OK) unfi_bytes_finish(in);
  return in->status;
}

unf_status unf_explorer_read(unf_unfolding *u, const unf_explorer_options *options, unf_read read,
                             void *user, unf_explorer **out) {
  RETURN_IF_NULL(u->context, u, read, out);
  struct bytes_in in;
  unf_explorer *x = NULL;
  if (u->store.count > 1)
    return unfi_fail(u->context, UNF_STATE, "an exploration read into an unfolding with events");
  unf_status status = unf_explorer_new(u, options, &x);
  if (status == UNF_OK) status = check_supported(x, "unf_explorer_read()");
  if (status == UNF_OK && !unfi_bytes_open(&in, u->context, read, user))
    status = unfi_refused(u->context);
  if (status == UNF_OK) {
    status = read_all(x, &in);
    unfi_bytes_close(&in);
  }
  if (status == UNF_OK)
    *out = x;
  else
    unf_explorer_free(x);
  return status;
}
