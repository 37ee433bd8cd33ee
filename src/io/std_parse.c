/*
 * The lines of a trace. A line is `thread|operation(operand)|place`; names are printable, and not
 * empty, and those of operands have no spaces. A line may end as lines of other systems do, with a
 * carriage return before its line feed, and the last one without a line feed. What a name means is
 * decided when all lines are known, in std_read.c.
 */
#include "io/std_parse.h"

#include "io/std.h"

#include <string.h>

#include "base/text.h"
#include "io/std_names.h"

/* Words, in the order of enum std_operation, and the names that their operands are of. */
static const struct {
  const char *word;
  unf_std_name_kind of;
} operations[] = {
    [STD_ACQUIRE] = {"acq", UNF_STD_LOCK}, [STD_RELEASE] = {"rel", UNF_STD_LOCK},
    [STD_READ] = {"r", UNF_STD_VARIABLE},  [STD_WRITE] = {"w", UNF_STD_VARIABLE},
    [STD_FORK] = {"fork", UNF_STD_THREAD}, [STD_JOIN] = {"join", UNF_STD_THREAD},
};

static const char *const marks[] = {"begin", "end", "enter", "exit", "branch", "dummy"};

struct std_span {
  const char *begin, *end;
};

struct std_reader {
  unf_std *std;
  const char *line; /* where the line begins */
  uint64_t number;
};

unf_status unfi_std_fail(unf_context *context, unf_status status, uint64_t line, uint64_t column,
                         const char *const *parts) {
  unfi_fail(context, status, NULL);
  unf_detail *detail = &context->detail;
  detail->step = line;
  detail->place = column;
  struct text text = unfi_text(detail->text, sizeof detail->text);
  unfi_text_add(&text, unf_status_text(status));
  unfi_text_add(&text, ": line ");
  unfi_text_u64(&text, line);
  unfi_text_add(&text, ", column ");
  unfi_text_u64(&text, column);
  unfi_text_add(&text, ": ");
  for (; *parts != NULL; parts++)
    unfi_text_add(&text, *parts);
  return status;
}

static unf_status malformed_line(const struct std_reader *r, const char *at, const char *what) {
  const char *const parts[] = {what, NULL};
  return unfi_std_fail(r->std->u->context, UNF_FORMAT, r->number, (uint64_t)(at - r->line) + 1,
                       parts);
}

static bool same_word(struct std_span span, const char *word) {
  const size_t size = (size_t)(span.end - span.begin);
  return strlen(word) == size && memcmp(span.begin, word, size) == 0;
}

/* Whether all bytes of a span are printable, and none is less than `least`. */
static unf_status printable(const struct std_reader *r, struct std_span span, unsigned char least) {
  for (const char *at = span.begin; at < span.end; at++)
    if ((unsigned char)*at < least || *at == 0x7f)
      return malformed_line(r, at, "a byte that cannot stand here");
  return UNF_OK;
}

static unf_status take_name(struct std_reader *r, unf_std_name_kind kind, struct std_span span,
                            uint32_t *out) {
  unf_context *context = r->std->u->context;
  if (span.begin == span.end) return malformed_line(r, span.begin, "a name was expected");
  *out =
      unfi_std_intern(context, &r->std->names[kind], span.begin, (size_t)(span.end - span.begin));
  return *out == UINT32_MAX ? unfi_refused(context) : UNF_OK;
}

static unf_status take_text(struct std_reader *r, unf_std_name_kind kind, struct std_span span,
                            uint32_t *out) {
  unf_status status = printable(r, span, ' ');
  return status == UNF_OK ? take_name(r, kind, span, out) : status;
}

static unf_status unknown_operation(const struct std_reader *r, struct std_span word) {
  char name[32] = {0};
  const size_t size = (size_t)(word.end - word.begin);
  memcpy(name, word.begin, size < sizeof name ? size : sizeof name - 1);
  const char *const parts[] = {"the operation \"", name, "\" is not known", NULL};
  return unfi_std_fail(r->std->u->context, UNF_UNSUPPORTED, r->number,
                       (uint64_t)(word.begin - r->line) + 1, parts);
}

static bool is_mark(struct std_span word) {
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (same_word(word, marks[i])) return true;
  return false;
}

/* The second field: a word, and an operand in parentheses, which a mark need not have. */
static unf_status take_operation(struct std_reader *r, struct std_span field,
                                 struct std_line *line) {
  const size_t size = (size_t)(field.end - field.begin);
  const char *open = memchr(field.begin, '(', size);
  const struct std_span word = {field.begin, open != NULL ? open : field.end};
  unf_status status = printable(r, field, '!');
  if (status != UNF_OK) return status;
  if (word.begin == word.end) return malformed_line(r, word.begin, "an operation was expected");
  if (open != NULL && field.end[-1] != ')')
    return malformed_line(r, field.end, "\")\" was expected");
  line->operation = STD_MARK;
  line->operand = 0;
  if (is_mark(word)) return UNF_OK;
  for (line->operation = 0; line->operation < STD_MARK; line->operation++)
    if (same_word(word, operations[line->operation].word)) break;
  if (line->operation == STD_MARK) return unknown_operation(r, word);
  if (open == NULL) return malformed_line(r, word.end, "\"(\" was expected");
  const struct std_span operand = {open + 1, field.end - 1};
  return take_name(r, operations[line->operation].of, operand, &line->operand);
}

static unf_status take_line(struct std_reader *r, const char *end) {
  struct std_line line = {0};
  const char *at = r->line, *bars[2];
  for (unsigned i = 0; i < 2; i++, at++) {
    at = memchr(at, '|', (size_t)(end - at));
    if (at == NULL) return malformed_line(r, end, "a line has three fields, with \"|\" between");
    bars[i] = at;
  }
  if (memchr(at, '|', (size_t)(end - at)) != NULL)
    return malformed_line(r, memchr(at, '|', (size_t)(end - at)), "a fourth field");
  const struct std_span thread = {r->line, bars[0]}, operation = {bars[0] + 1, bars[1]};
  const struct std_span place = {bars[1] + 1, end};
  unf_std *std = r->std;
  unf_status status = take_text(r, UNF_STD_THREAD, thread, &line.thread);
  if (status == UNF_OK) status = take_operation(r, operation, &line);
  if (status == UNF_OK) status = take_text(r, UNF_STD_PLACE, place, &line.place);
  if (status != UNF_OK) return status;
  if (!vector_reserve(std->u->context, &std->lines, (uint64_t)std->lines.count + 1))
    return unfi_refused(std->u->context);
  vector_push(&std->lines, line);
  return UNF_OK;
}

unf_status unfi_std_parse(unf_std *std, const char *text, size_t size) {
  struct std_reader r = {std, text, 0};
  const char *const limit = size > 0 ? text + size : text;
  unf_status status = UNF_OK;
  while (status == UNF_OK && r.line < limit) {
    const char *end = memchr(r.line, '\n', (size_t)(limit - r.line));
    const char *next = end != NULL ? end + 1 : limit;
    if (end == NULL) end = limit;
    if (end > r.line && end[-1] == '\r') end--;
    r.number++;
    status = unfi_work(std->u->context, 1);
    if (status == UNF_OK) status = take_line(&r, end);
    r.line = next;
  }
  return status;
}
