/*
 * What a program can read: its standard input, files with bytes that are inputs, and files of the
 * system, as they are when they are first opened.
 */
#include "files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "arith.h"
#include "builtin.h"
#include "decide.h"
#include "input.h"
#include "machine.h"
#include "memory.h"
#include "sync.h"

/* Of all files together; more is not read. */
enum { LARGEST = 1 << 28 };

/* ---- what there is ---- */

static void free_source(struct source *f) {
  free(f->name);
  free(f->bytes);
  free(f->asked);
  free(f->values);
  free(f->ends);
}

bool machine_file(struct machine *m, const char *name, const uint8_t *bytes, uint64_t size) {
  if (m->file_count == m->file_room) {
    const size_t room = 2 * m->file_room + 4;
    struct source *files = realloc(m->files, room * sizeof *files);
    if (files == NULL) return false;
    m->files = files;
    m->file_room = room;
  }
  struct source *f = &m->files[m->file_count];
  *f = (struct source){.name = strdup(name), .bytes = calloc((size_t)size + 1, 1), .size = size};
  if (bytes == NULL) f->asked = malloc((size_t)size + 1);
  if (f->name == NULL || f->bytes == NULL || (bytes == NULL && f->asked == NULL)) {
    free_source(f);
    return false;
  }
  if (bytes != NULL)
    memcpy(f->bytes, bytes, (size_t)size);
  else
    memset(f->asked, 1, (size_t)size);
  m->file_count++;
  return true;
}

bool machine_peer(struct machine *m, bool stays) {
  char name[40];
  size_t number = 1;
  for (size_t i = 0; i < m->file_count; i++)
    number += m->files[i].peer;
  snprintf(name, sizeof name, number > 1 ? "packet%zu" : "packet", number);
  if (!machine_file(m, name, (const uint8_t *)"", 0)) return false;
  m->files[m->file_count - 1].peer = true;
  m->files[m->file_count - 1].stays = stays;
  return true;
}

/* The first ones stay as they are if there is no memory. */
bool machine_packet(struct machine *m, const uint8_t *bytes, uint64_t size) {
  struct source *f = &m->files[m->file_count - 1];
  uint8_t *all = realloc(f->bytes, (size_t)(f->size + size) + 1);
  if (all != NULL) f->bytes = all;
  uint8_t *asked = all != NULL ? realloc(f->asked, (size_t)(f->size + size) + 1) : NULL;
  if (asked != NULL && f->asked == NULL) memset(asked, 0, (size_t)f->size);
  if (asked != NULL) f->asked = asked;
  uint64_t *ends = asked != NULL ? realloc(f->ends, (f->end_count + 1) * sizeof *ends) : NULL;
  if (ends == NULL) return false;
  f->ends = ends;
  memset(asked + f->size, bytes == NULL, (size_t)size);
  if (bytes != NULL)
    memcpy(all + f->size, bytes, (size_t)size);
  else
    memset(all + f->size, 0, (size_t)size);
  f->size += size;
  f->ends[f->end_count++] = f->size;
  return true;
}

/* Reads a file of the system. 1: it was; 0: there is none; -1: no memory. */
int machine_read_file(struct machine *m, const char *name, const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc(1), *larger;
  size_t size = 0, room = 1;
  if (file == NULL) {
    free(bytes);
    return 0;
  }
  for (int c = getc(file); bytes != NULL && c != EOF && size < LARGEST; c = getc(file)) {
    if (size == room) {
      room *= 2;
      larger = realloc(bytes, room);
      if (larger == NULL) free(bytes);
      bytes = larger;
    }
    if (bytes != NULL) bytes[size++] = (uint8_t)c;
  }
  fclose(file);
  const bool made = bytes != NULL && machine_file(m, name, bytes, size);
  free(bytes);
  return made ? 1 : -1;
}

bool machine_make_inputs(struct machine *m, struct thread *t) {
  for (size_t i = 0; i < m->file_count; i++) {
    struct source *f = &m->files[i];
    if (f->asked == NULL) continue;
    if (f->values == NULL) f->values = calloc((size_t)f->size + 1, sizeof *f->values);
    if (f->values == NULL) {
      machine_stop(m, UNF_MEMORY);
      return false;
    }
    for (uint64_t byte = 0; byte < f->size; byte++) {
      char name[200];
      f->values[byte] = value_number(f->bytes[byte]);
      if (f->asked[byte] == 0) continue;
      snprintf(name, sizeof name, "%.150s[%" PRIu64 "]", f->name, byte);
      if (!machine_input(m, t, 8, name, NULL, &f->values[byte])) return false;
    }
  }
  return true;
}

void machine_files_free(struct machine *m) {
  for (size_t i = 0; i < m->file_count; i++)
    free_source(&m->files[i]);
  free(m->files);
}

/* ---- what the library asks for ---- */

bool files_text(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                char *text, size_t size) {
  int64_t at, byte = 1;
  if (!sync_number(m, t, a, index, &at)) return false;
  for (size_t i = 0; byte != 0; i++) {
    struct value value;
    if (!machine_read(m, t, value_number(at + (int64_t)i), 8, &value) ||
        !machine_resolve(m, t, value, &byte))
      return false;
    text[i < size ? i : size - 1] = i < size - 1 ? (char)byte : '\0';
  }
  return true;
}

uint64_t files_find(const struct machine *m, const char *name) {
  for (size_t i = 1; i < m->file_count; i++)
    if (!m->files[i].peer && strcmp(m->files[i].name, name) == 0) return i;
  return UINT64_MAX;
}

static enum flow find_file(struct machine *m, struct thread *t, const struct arguments *a) {
  char name[1024];
  if (!files_text(m, t, a, 0, name, sizeof name)) return FLOW_STANDS;
  const uint64_t given = files_find(m, name);
  if (given != UINT64_MAX) return machine_number(t, a, (int64_t)given);
  const int found = machine_read_file(m, name, name);
  if (found < 0) return machine_stop(m, UNF_MEMORY);
  return machine_number(t, a, found > 0 ? (int64_t)m->file_count - 1 : -1);
}

const struct source *files_source(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t number;
  if (!sync_number(m, t, a, 0, &number)) return NULL;
  if (number >= 0 && (uint64_t)number < m->file_count) return &m->files[number];
  machine_fail(m, t, CLI_MEMORY, "a file that is not there");
  return NULL;
}

static enum flow file_size(struct machine *m, struct thread *t, const struct arguments *a) {
  const struct source *f = files_source(m, t, a);
  return f != NULL ? machine_number(t, a, (int64_t)f->size) : FLOW_STANDS;
}

static enum flow file_read(struct machine *m, struct thread *t, const struct arguments *a) {
  int64_t offset, to, size;
  const struct source *f = files_source(m, t, a);
  if (f == NULL || !sync_number(m, t, a, 1, &offset) || !sync_number(m, t, a, 2, &to) ||
      !sync_number(m, t, a, 3, &size) || !machine_touch(m, t, (uint64_t)to, (uint64_t)size, true))
    return FLOW_STANDS;
  for (int64_t i = 0; i < size && (uint64_t)(offset + i) < f->size; i++) {
    const struct value value =
        f->asked == NULL ? value_number(f->bytes[offset + i]) : f->values[offset + i];
    if (memory_store(&m->memory, (uint64_t)(to + i), 8, value) == ACCESS_REFUSED)
      return machine_stop(m, UNF_MEMORY);
  }
  return FLOW_NEXT;
}

/* ---- values and texts ---- */

static enum flow depends(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  return machine_number(t, a, a->count > 0 && !value_known(a->values[0]));
}

/* Whether somebody looks at the result of the function that asks. */
static enum flow is_used(struct machine *m, struct thread *t, const struct arguments *a) {
  (void)m;
  return machine_number(t, a, machine_frame(t)->results > 0);
}

static enum flow bits(struct machine *m, struct thread *t, const struct arguments *a) {
  return sync_has(m, t, a, 1) ? machine_result(t, a, a->values[0]) : FLOW_STANDS;
}

bool files_write_text(struct machine *m, struct thread *t, int64_t to, const char *text) {
  for (size_t i = 0; i <= strlen(text); i++)
    if (!machine_write(m, t, value_number(to + (int64_t)i), 8, value_number(text[i]))) return false;
  return true;
}

const struct builtin_entry builtins_files[] = {
    {"__unfold_file", find_file},      {"__unfold_file_size", file_size},
    {"__unfold_file_read", file_read}, {"__unfold_depends", depends},
    {"__unfold_is_used", is_used},     {"__unfold_bits", bits},
    {"__unfold_digits", bits},         {NULL, NULL},
};
