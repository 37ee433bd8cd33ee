/* The data stands in the page as JSON, in an element that no browser runs. A `<` is written as an
 * escape, so that nothing in a name can end that element. */
#include "write.h"

#include <session.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text.h>

#include "page.h"

enum { TAB = 8, LINES_AROUND = 200 };

void report_begin(struct report *report) {
  report->threads = json_array();
  report->functions = json_object();
  report->sources = json_array();
  report->executions = json_array();
  report->unfolding = json_null();
}

json_t *report_untold(const char *why) {
  return json_pack("{s:[], s:s}", "steps", "why", why);
}

json_t *report_untold_many(void) {
  return json_pack("{s:[], s:o}", "steps", "why",
                   json_sprintf("of more than %d defects only the first have their steps in this "
                                "page",
                                (int)REPORT_DEFECTS));
}

void report_free(struct report *report) {
  json_decref(report->threads);
  json_decref(report->functions);
  json_decref(report->sources);
  json_decref(report->executions);
  json_decref(report->unfolding);
  memset(report, 0, sizeof *report);
}

void report_function(struct report *report, const char *thread, const char *function) {
  const json_t *known = json_object_get(report->functions, thread);
  json_t *text = cli_json_text(function);
  const bool differs = known != NULL && !json_equal(known, text);
  json_object_set_new(report->functions, thread, differs ? json_null() : text);
  if (differs) json_decref(text);
}

/* A line with spaces in place of tabs, as it is shown. */
static json_t *line_text(const char *line, size_t length) {
  char *wide = malloc(length * TAB + 1);
  size_t column = 0;
  if (wide == NULL) return NULL;
  for (size_t i = 0; i < length; i++) {
    if (line[i] == '\0') continue;
    wide[column++] = line[i] == '\t' ? ' ' : line[i];
    while (line[i] == '\t' && column % TAB != 0)
      wide[column++] = ' ';
  }
  while (column > 0 && wide[column - 1] == '\r')
    column--;
  wide[column] = '\0';
  json_t *text = cli_json_text(wide);
  free(wide);
  return text;
}

void report_source(struct report *report, const char *name, const char *text, size_t size,
                   uint32_t first, uint32_t last) {
  json_t *lines = json_array();
  bool whole = lines != NULL;
  uint32_t number = 1;
  for (const char *at = text, *end = text + size; at < end && number <= last && whole; number++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    if (number >= first)
      whole = json_array_append_new(lines, line_text(at, (size_t)(stop - at))) == 0;
    at = stop + 1;
  }
  json_t *source = json_pack("{s:o, s:I, s:o}", "name", cli_json_text(name), "first",
                             (json_int_t)first, "lines", lines);
  if (whole && json_array_append_new(report->sources, source) == 0) return;
  if (!whole) json_decref(source);
  json_decref(report->sources);
  report->sources = NULL;
}

/* The text of a file, to be freed; NULL: it cannot be read. */
static char *read_whole(const char *path, size_t *size) {
  enum { MOST = 1 << 26 };
  FILE *file = fopen(path, "re");
  *size = 0;
  if (file == NULL) return NULL;
  const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  const bool good = end >= 0 && end < MOST && fseek(file, 0, SEEK_SET) == 0;
  char *text = good ? malloc((size_t)end + 1) : NULL;
  if (text != NULL) *size = fread(text, 1, (size_t)end, file);
  fclose(file);
  return text;
}

void report_source_file(struct report *report, const char *path, uint32_t first, uint32_t last) {
  const char *slash = strrchr(path, '/');
  size_t size;
  char *text = read_whole(path, &size);
  report_source(report, slash != NULL ? slash + 1 : path, text, size,
                first > LINES_AROUND ? first - LINES_AROUND : 1, last + LINES_AROUND);
  free(text);
}

/* What is written of the page, and where. */
struct page_output {
  json_t *data;
  unf_write write;
  void *file;
  bool refused, no_memory;
};

static int put(const char *text, size_t size, void *user) {
  static const char escaped[] = "\\u003c";
  struct page_output *out = user;
  while (size > 0 && !out->refused) {
    const char *open = memchr(text, '<', size);
    const size_t before = open != NULL ? (size_t)(open - text) : size;
    out->refused = !out->write(out->file, text, before) ||
                   (open != NULL && !out->write(out->file, escaped, sizeof escaped - 1));
    text += before + (open != NULL);
    size -= before + (open != NULL);
  }
  return out->refused ? -1 : 0;
}

static bool put_page(struct page_output *out, const unsigned char *text, unsigned long size) {
  return out->write(out->file, (const char *)text, size);
}

static unf_status produce(void *user, unf_write write, void *file) {
  struct page_output *out = user;
  out->write = write;
  out->file = file;
  if (!put_page(out, page_before, page_before_size)) return UNF_WRITE;
  out->no_memory = json_dump_callback(out->data, put, out, JSON_COMPACT) != 0 && !out->refused;
  if (out->no_memory) return UNF_MEMORY;
  if (out->refused) return UNF_WRITE;
  return put_page(out, page_behind, page_behind_size) ? UNF_OK : UNF_WRITE;
}

enum cli_status report_save(const char *path, const struct cli_result *result,
                            const struct report *report) {
  json_t *unseen = result->unseen_lines != NULL ? json_incref(result->unseen_lines) : json_array();
  struct page_output out = {
      .data = json_pack("{s:s, s:i, s:s, s:o, s:o, s:O, s:O, s:O, s:O, s:O}", "format",
                        "unfold-report", "version", 1, "tool", cli_program_name(result->tool),
                        "result", cli_result_json(result), "unseen", unseen, "threads",
                        report->threads, "functions", report->functions, "sources", report->sources,
                        "executions", report->executions, "unfolding", report->unfolding)};
  if (out.data == NULL) {
    cli_say(stderr, "%s: %s: no memory for the report", cli_program_name(result->tool), path);
    return CLI_STOPPED;
  }
  const bool saved = cli_save(result->tool, path, produce, &out);
  json_decref(out.data);
  return saved ? CLI_CLEAN : out.no_memory ? CLI_STOPPED : CLI_USAGE;
}
