#include "coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

struct coverage *coverage_new(const struct code *code) {
  struct coverage *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  c->code = code;
  c->performed = calloc(code->instruction_count + 1, sizeof *c->performed);
  c->taken = calloc(code->word_count + 1, sizeof *c->taken);
  if (c->performed != NULL && c->taken != NULL) return c;
  coverage_free(c);
  return NULL;
}

void coverage_free(struct coverage *c) {
  if (c == NULL) return;
  free(c->performed);
  free(c->taken);
  free(c->runs);
  free(c);
}

void coverage_begin(struct coverage *c) {
  memset(c->performed, 0, (c->code->instruction_count + 1) * sizeof *c->performed);
  memset(c->taken, 0, (c->code->word_count + 1) * sizeof *c->taken);
  c->fresh = c->covered = 0;
  c->run_count = 0;
}

static bool has_ways(const struct instruction *i) {
  return i->kind == CODE_TEST || i->kind == CODE_SWITCH;
}

static uint32_t first_way(const struct instruction *i) {
  return i->first + i->values;
}

void coverage_performed(struct coverage *c, uint32_t instruction) {
  const bool fresh = c->performed[instruction] == 0;
  c->fresh += fresh;
  c->covered += fresh;
  c->performed[instruction]++;
}

void coverage_went(struct coverage *c, uint32_t instruction, uint32_t target) {
  const struct instruction *i = &c->code->instructions[instruction];
  for (uint32_t n = 0; has_ways(i) && n < i->numbers; n++) {
    const uint32_t way = first_way(i) + n;
    if (c->code->words[way] != target) continue;
    const bool fresh = c->taken[way] == 0;
    c->fresh += fresh;
    c->covered += fresh;
    c->taken[way]++;
  }
}

/* ---- orders ---- */

bool coverage_ended(struct coverage *c, uint64_t run) {
  if (run >= c->run_room) {
    const size_t room = 2 * (size_t)run + 64;
    struct coverage_run *runs = realloc(c->runs, room * sizeof *runs);
    if (runs == NULL) return false;
    memset(runs + c->run_room, 0, (room - c->run_room) * sizeof *runs);
    c->runs = runs;
    c->run_room = room;
  }
  c->runs[run] = (struct coverage_run){c->fresh, 0};
  if (c->run_count <= run) c->run_count = (size_t)run + 1;
  c->fresh = 0;
  return true;
}

bool coverage_promises(const struct coverage *c, const unf_leaf *a, const unf_leaf *b) {
  const struct coverage_run none = {0, 0};
  const struct coverage_run *x = a->run < c->run_count ? &c->runs[a->run] : &none;
  const struct coverage_run *y = b->run < c->run_count ? &c->runs[b->run] : &none;
  const uint64_t one = x->fresh * (y->chosen + 1), other = y->fresh * (x->chosen + 1);
  return one != other ? one > other : a->number > b->number;
}

void coverage_chosen(struct coverage *c, const unf_leaf *leaf) {
  if (leaf->run < c->run_count) c->runs[leaf->run].chosen++;
}

/* ---- results ---- */

/* An instruction in the order of places. */
struct placed {
  uint32_t file, line, instruction;
};

static int compare(const void *a, const void *b) {
  const struct placed *x = a, *y = b;
  if (x->file != y->file) return x->file < y->file ? -1 : 1;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

/* All instructions with a place, to be freed; NULL: no memory. */
static struct placed *sorted(const struct coverage *c, size_t *count) {
  struct placed *all = malloc((c->code->instruction_count + 1) * sizeof *all);
  *count = 0;
  for (uint32_t i = 0; all != NULL && i < c->code->instruction_count; i++) {
    const struct instruction *in = &c->code->instructions[i];
    if (in->line > 0) all[(*count)++] = (struct placed){in->file, in->line, i};
  }
  if (all != NULL) qsort(all, *count, sizeof *all, compare);
  return all;
}

struct totals {
  uint64_t lines, covered_lines, ways, covered_ways;
};

/* A line from its first instruction on; returns the number of its instructions. */
static size_t add_line(const struct coverage *c, const struct placed *first, size_t rest,
                       struct totals *totals, FILE *to) {
  uint64_t most = 0;
  uint32_t block = 0;
  size_t n = 0;
  for (; n < rest && first[n].file == first->file && first[n].line == first->line; n++) {
    const struct instruction *i = &c->code->instructions[first[n].instruction];
    const uint64_t performed = c->performed[first[n].instruction];
    if (performed > most) most = performed;
    for (uint32_t way = 0; has_ways(i) && way < i->numbers; way++) {
      const uint64_t taken = c->taken[first_way(i) + way];
      totals->ways++;
      totals->covered_ways += taken > 0;
      if (to != NULL && performed == 0)
        fprintf(to, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",-\n", first->line, block, way);
      else if (to != NULL)
        fprintf(to, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n", first->line, block,
                way, taken);
    }
    block += has_ways(i);
  }
  totals->lines++;
  totals->covered_lines += most > 0;
  if (to != NULL) fprintf(to, "DA:%" PRIu32 ",%" PRIu64 "\n", first->line, most);
  return n;
}

json_t *coverage_json(const struct coverage *c) {
  size_t count;
  struct totals t = {0, 0, 0, 0};
  struct placed *all = sorted(c, &count);
  if (all == NULL) return NULL;
  for (size_t i = 0; i < count;)
    i += add_line(c, &all[i], count - i, &t, NULL);
  free(all);
  return json_pack("{s:I, s:I, s:I, s:I}", "lines", (json_int_t)t.lines, "lines_covered",
                   (json_int_t)t.covered_lines, "branches", (json_int_t)t.ways, "branches_covered",
                   (json_int_t)t.covered_ways);
}

const char *coverage_path(const char *text, char *const *paths, int count) {
  const size_t length = strlen(text);
  for (int i = 0; i < count; i++) {
    const size_t whole = strlen(paths[i]);
    if (whole >= length && strcmp(paths[i] + whole - length, text) == 0) return paths[i];
  }
  return text;
}

bool coverage_write(const struct coverage *c, FILE *to, char *const *paths, int path_count) {
  size_t count;
  struct placed *all = sorted(c, &count);
  if (all == NULL) return false;
  for (size_t i = 0; i < count;) {
    struct totals t = {0, 0, 0, 0};
    const uint32_t file = all[i].file;
    fprintf(to, "TN:\nSF:%s\n", coverage_path(c->code->texts[file], paths, path_count));
    while (i < count && all[i].file == file)
      i += add_line(c, &all[i], count - i, &t, to);
    fprintf(to, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\nLF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record\n",
            t.ways, t.covered_ways, t.lines, t.covered_lines);
  }
  free(all);
  return true;
}
