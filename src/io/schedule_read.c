/*
 * Reading schedules. The order of the checks decides how a bad file is reported: a text that
 * does not begin like a schedule is not one; another version is not supported, whatever follows;
 * then a wrong checksum means damage. So a malformed line in a file with a right checksum was
 * written like that.
 *
 * Only canonical text is accepted (no leading zeros, single spaces), hence reading and writing
 * again gives the same bytes.
 */
#include <string.h>

#include "base/null.h"
#include "base/text.h"
#include "io/output.h"
#include "io/schedule.h"
#include "structure/effect.h"
#include "structure/names.h"
#include "structure/text.h"

struct reader {
  unf_unfolding *u;
  const char *text;
  size_t size; /* of the text: all of it, and later the part before the checksum */
  size_t at;
  size_t line_start;
  uint64_t line;
};

static unf_status fail_at(struct reader *r, unf_status status, const char *what, size_t at) {
  unf_context *context = r->u->context;
  unfi_fail(context, status, NULL);
  unf_detail *detail = &context->detail;
  detail->step = r->line;
  detail->place = at - r->line_start + 1;
  struct text text = unfi_text(detail->text, sizeof detail->text);
  unfi_text_add(&text, unf_status_text(status));
  unfi_text_add(&text, ": line ");
  unfi_text_u64(&text, detail->step);
  unfi_text_add(&text, ", column ");
  unfi_text_u64(&text, detail->place);
  unfi_text_add(&text, ": ");
  unfi_text_add(&text, what);
  return status;
}

static unf_status malformed(struct reader *r, const char *what) {
  return fail_at(r, UNF_FORMAT, what, r->at);
}

static bool accept(struct reader *r, const char *word) {
  size_t length = strlen(word);
  if (r->size - r->at < length || memcmp(r->text + r->at, word, length) != 0) return false;
  r->at += length;
  return true;
}

static bool is_digit(const struct reader *r) {
  return r->at < r->size && r->text[r->at] >= '0' && r->text[r->at] <= '9';
}

static unf_status number(struct reader *r, uint64_t most, uint64_t *out) {
  size_t begin = r->at;
  uint64_t value = 0;
  if (!is_digit(r)) return malformed(r, "a number was expected");
  while (is_digit(r)) {
    uint64_t digit = (uint64_t)(r->text[r->at] - '0');
    if (r->at > begin && value == 0)
      return fail_at(r, UNF_FORMAT, "a number with leading zeros", begin);
    if (digit > most || value > (most - digit) / 10)
      return fail_at(r, UNF_FORMAT, "the number is too large", begin);
    value = value * 10 + digit;
    r->at++;
  }
  *out = value;
  return UNF_OK;
}

static unf_status signed_number(struct reader *r, int64_t *out) {
  bool negative = accept(r, "-");
  uint64_t value = 0;
  unf_status status = number(r, (uint64_t)INT64_MAX + negative, &value);
  if (status != UNF_OK) return status;
  if (negative && value == 0) return malformed(r, "minus zero");
  *out = negative ? -(int64_t)(value - 1) - 1 : (int64_t)value;
  return UNF_OK;
}

static unf_status thread_path(struct reader *r, unf_thread *out) {
  unf_thread thread = UNF_THREAD_NONE;
  do {
    uint64_t index = 0;
    unf_status status = number(r, UINT32_MAX, &index);
    if (status == UNF_OK) status = unf_thread_name(r->u, thread, (uint32_t)index, &thread);
    if (status != UNF_OK) return status;
  } while (accept(r, "."));
  *out = thread;
  return UNF_OK;
}

/* Reads " CLASS CREATOR KEY". */
static unf_status object(struct reader *r, unf_object_class object_class, unf_object *out) {
  unf_thread creator = UNF_THREAD_NONE;
  uint64_t key = 0;
  size_t begin = r->at;
  if (!accept(r, " ") || !accept(r, unfi_class_text(object_class)) || !accept(r, " "))
    return fail_at(r, UNF_FORMAT, "the class of the object was expected", begin);
  unf_status status = accept(r, "-") ? UNF_OK : thread_path(r, &creator);
  if (status != UNF_OK) return status;
  if (!accept(r, " ")) return malformed(r, "a space and the key of the object were expected");
  status = number(r, UINT64_MAX, &key);
  return status == UNF_OK ? unf_object_name(r->u, object_class, creator, key, out) : status;
}

static unf_status kind(struct reader *r, unf_action *action) {
  for (unsigned i = 0; i < UNF_ACTION_COUNT; i++) {
    size_t begin = r->at;
    bool ended = accept(r, unf_action_kind_text((unf_action_kind)i)) &&
                 (r->at == r->size || r->text[r->at] == ' ' || r->text[r->at] == '\n');
    if (ended) {
      action->kind = (unf_action_kind)i;
      return UNF_OK;
    }
    r->at = begin;
  }
  return malformed(r, "no action has this name");
}

static unf_status family(struct reader *r, uint32_t *out) {
  for (uint32_t i = 0; i < r->u->customs.count; i++) {
    size_t begin = r->at;
    if (accept(r, " ") && accept(r, r->u->customs.data[i].name) && r->at < r->size &&
        r->text[r->at] == ' ') {
      *out = i;
      return UNF_OK;
    }
    r->at = begin;
  }
  return malformed(r, "no registered family of effects has this name");
}

static unf_status target(struct reader *r, const struct action_row *row, unf_action *action) {
  size_t begin = r->at;
  if (is_object(row->target)) {
    unf_status status = object(r, (unf_object_class)row->target, &action->target);
    enum target second = second_target(row->second);
    if (status == UNF_OK && is_object(second))
      status = object(r, (unf_object_class)second, &action->second);
    if (status == UNF_OK && row->second == SECOND_FAMILY) status = family(r, &action->second);
    return status;
  }
  if (row->target != TARGET_THREAD) return UNF_OK;
  if (!accept(r, " thread ")) return malformed(r, "\" thread \" was expected");
  unf_status status = thread_path(r, &action->target);
  if (status == UNF_OK && action->target == action->thread)
    return fail_at(r, UNF_FORMAT, "the action of a thread on itself", begin);
  return status;
}

/* For reading the members of a set a second time: they must be in the order of the set. */
struct rereading {
  struct reader reader;
  bool same, first;
};

static bool read_again(void *user, unf_thread thread) {
  struct rereading *again = user;
  unf_thread read;
  if (!again->first) accept(&again->reader, " ");
  again->first = false;
  again->same = thread_path(&again->reader, &read) == UNF_OK && read == thread;
  return again->same;
}

static unf_status in_order(struct reader *r, int64_t members, size_t begin) {
  struct rereading again = {*r, true, true};
  again.reader.at = begin + 1;
  unf_status status = unf_thread_set_members(r->u, members, read_again, &again);
  if (status != UNF_OK) return status;
  if (again.same && accept(&again.reader, "}")) return UNF_OK;
  return fail_at(r, UNF_FORMAT, "a set of threads out of order", begin);
}

/* Reads "{THREAD THREAD …}", in the order of paths, as sets are written. */
static unf_status set(struct reader *r, int64_t *out) {
  unf_unfolding *u = r->u;
  handle_vector members = {0};
  size_t begin = r->at;
  unf_status status = UNF_OK;
  if (!accept(r, "{")) return malformed(r, "a set of threads was expected");
  while (status == UNF_OK && !accept(r, "}")) {
    unf_thread thread;
    if (members.count > 0 && !accept(r, " "))
      status = malformed(r, "a space or the end of the set was expected");
    if (status == UNF_OK) status = thread_path(r, &thread);
    if (status != UNF_OK) break;
    if (!vector_reserve(u->context, &members, (uint64_t)members.count + 1))
      status = unfi_refused(u->context);
    else
      vector_push(&members, thread);
  }
  if (status == UNF_OK) status = unf_thread_set(u, members.data, members.count, out);
  vector_free(u->context, &members);
  if (status != UNF_OK) return status;
  return in_order(r, *out, begin);
}

/* Reads a thread, or the word for none. */
static unf_status notified(struct reader *r, int64_t *out) {
  unf_thread thread;
  *out = UNF_LOST;
  if (accept(r, "lost")) return UNF_OK;
  unf_status status = thread_path(r, &thread);
  if (status == UNF_OK) *out = thread;
  return status;
}

static unf_status value(struct reader *r, enum value sort, int64_t *out) {
  if (sort == VALUE_NONE) return UNF_OK;
  if (!accept(r, " ")) return malformed(r, "a space and a value were expected");
  if (sort == VALUE_NUMBER) return signed_number(r, out);
  return is_thread_set(sort) ? set(r, out) : notified(r, out);
}

static unf_status step(struct reader *r, unf_schedule *schedule) {
  unf_action action = {0};
  unf_status status = thread_path(r, &action.thread);
  if (status != UNF_OK) return status;
  if (!accept(r, " ")) return malformed(r, "a space and an action were expected");
  status = kind(r, &action);
  if (status != UNF_OK) return status;
  const struct action_row *row = &r->u->effects->actions[action.kind];
  status = target(r, row, &action);
  if (status == UNF_OK) status = value(r, row->value, &action.value);
  if (status != UNF_OK) return status;
  if (!accept(r, "\n")) return malformed(r, "the end of the line was expected");
  return unf_schedule_append(schedule, &action);
}

/* Reads the version line. A text that ends in it can only be reported as truncated. */
static unf_status version(struct reader *r) {
  size_t magic = strlen(SCHEDULE_MAGIC);
  size_t common = r->size < magic ? r->size : magic;
  uint64_t seen = 0;
  if (r->size == 0 || memcmp(r->text, SCHEDULE_MAGIC, common) != 0)
    return malformed(r, "this is not a schedule, which begins with \"" SCHEDULE_MAGIC "\"");
  r->at = magic;
  if (memchr(r->text, '\n', r->size) == NULL)
    return unfi_fail(r->u->context, UNF_CHECKSUM, "the text ends in its first line");
  unf_status status = number(r, UINT32_MAX, &seen);
  if (status != UNF_OK) return status;
  if (!accept(r, "\n")) return malformed(r, "the end of the version line was expected");
  if (seen == SCHEDULE_VERSION) return UNF_OK;
  char digits[24];
  struct text text = unfi_text(digits, sizeof digits);
  unfi_text_u64(&text, seen);
  unfi_fail(r->u->context, UNF_UNSUPPORTED, "schedules of version ", digits);
  r->u->context->detail.step = 1;
  r->u->context->detail.place = magic + 1;
  return UNF_UNSUPPORTED;
}

/* Checks the last line, the checksum, and removes it from the text. */
static unf_status checksum(struct reader *r) {
  size_t length = strlen(SCHEDULE_CHECKSUM) + 16 + 1;
  size_t begin = r->size < length ? 0 : r->size - length;
  bool there = begin > 0 && r->text[begin - 1] == '\n' && r->text[r->size - 1] == '\n' &&
               memcmp(r->text + begin, SCHEDULE_CHECKSUM, strlen(SCHEDULE_CHECKSUM)) == 0;
  if (!there) return unfi_fail(r->u->context, UNF_CHECKSUM, "the last line is not a checksum");
  char digits[17];
  struct text text = unfi_text(digits, sizeof digits);
  unfi_text_hex(&text, unfi_fnv(FNV_EMPTY, r->text, begin), 16);
  if (memcmp(r->text + r->size - 17, digits, 16) != 0)
    return unfi_fail(r->u->context, UNF_CHECKSUM, NULL);
  r->size = begin;
  return UNF_OK;
}

static void next_line(struct reader *r) {
  r->line_start = r->at;
  r->line++;
}

static unf_status body(struct reader *r, unf_schedule **schedule) {
  unf_status status = version(r);
  if (status == UNF_OK) status = checksum(r);
  if (status != UNF_OK) return status;
  next_line(r);
  if (!accept(r, SCHEDULE_PROGRAM)) return malformed(r, "\"" SCHEDULE_PROGRAM "\" was expected");
  size_t name = r->at;
  while (r->at < r->size && r->text[r->at] != '\n')
    r->at++;
  if (r->at == r->size) return malformed(r, "the end of the line was expected");
  status = unfi_schedule_new(r->u, r->text + name, r->at - name, schedule);
  if (status == UNF_INVALID)
    return fail_at(r, UNF_FORMAT, "the name of a program is printable, and not empty", name);
  for (r->at++; status == UNF_OK && r->at < r->size;) {
    next_line(r);
    status = step(r, *schedule);
  }
  return status;
}

unf_status unf_schedule_read(unf_unfolding *u, const char *text, size_t size, unf_schedule **out) {
  RETURN_IF_NULL(u->context, u, out);
  RETURN_IF_NULL_ARRAY(u->context, text, size);
  struct reader r = {u, text, size, 0, 0, 1};
  unf_schedule *schedule = NULL;
  unf_status status = body(&r, &schedule);
  if (status == UNF_OK)
    *out = schedule;
  else
    unf_schedule_free(schedule);
  return status;
}
