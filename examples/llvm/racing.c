#include "racing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "atomic.h"
#include "code.h"
#include "memory.h"
#include "regions.h"

static bool is_entered(const struct machine *m, uint64_t byte) {
  return index_find(&m->racing_index, byte, 0) != UINT32_MAX;
}

static bool enter(struct machine *m, uint64_t byte) {
  if (m->racing_count == m->racing_room) {
    const size_t room = 2 * m->racing_room + 16;
    uint64_t *racing = realloc(m->racing, room * sizeof *racing);
    if (racing == NULL) return false;
    m->racing = racing;
    m->racing_room = room;
  }
  if (!index_put(&m->racing_index, byte, 0, (uint32_t)m->racing_count)) return false;
  m->racing[m->racing_count++] = byte;
  return true;
}

int racing_enter(struct machine *m, uint64_t address, uint64_t size) {
  int entered = 0;
  for (uint64_t byte = address; byte < address + size; byte++) {
    const uint32_t number = index_find(&m->racing_index, byte, 0);
    if (number == UINT32_MAX && !enter(m, byte)) return -1;
    if (number == UINT32_MAX || number >= m->racing_begun) entered = 1;
  }
  return entered;
}

bool racing_meets(const struct machine *m, uint64_t address, uint64_t size) {
  size_t i = 0;
  while (i < m->racing_count && m->racing[i] - address >= size)
    i++;
  return i < m->racing_count;
}

/* Before there are threads nothing races. */
bool racing_stands(struct machine *m, struct thread *t, uint64_t address, unsigned width) {
  if (m->racing_count == 0 || m->now.started < 2) return false;
  const uint64_t end = address + bytes_of(width);
  uint64_t byte = address;
  while (byte < end && !is_entered(m, byte))
    byte++;
  return byte < end && (machine_frame(t)->phase > 0 || !regions_inside(m, t));
}

/* ---- accesses ---- */

static bool plain(struct machine *m, struct thread *t, const struct instruction *i,
                  uint64_t address, struct value *value) {
  const struct value at = value_number((int64_t)address);
  return i->kind == CODE_STORE ? machine_write(m, t, at, i->width, *value)
                               : machine_read(m, t, at, i->width, value);
}

static enum flow in_region(struct machine *m, struct thread *t, const struct instruction *i,
                           uint64_t address, struct value *value) {
  enum { OUTSIDE, INSIDE };
  if (machine_frame(t)->phase == OUTSIDE) return regions_enter(m, t, INSIDE);
  if (machine_frame(t)->phase > INSIDE) return FLOW_NEXT;
  if (!regions_entered(m, t) || !plain(m, t, i, address, value)) return FLOW_STANDS;
  return regions_leave(m, t, INSIDE + 1);
}

static enum flow as_atomic(struct machine *m, struct thread *t, const struct instruction *i,
                           uint64_t address, struct value *value) {
  const bool stores = i->kind == CODE_STORE;
  const uint64_t bytes = bytes_of(i->width);
  if (bytes > sizeof(int64_t) || address % bytes != 0 || (bytes & (bytes - 1)) != 0)
    return machine_refuse(m, t, "an access of %" PRIu64 " bytes that races and is no atomic one",
                          bytes);
  struct instruction as = *i;
  as.kind = stores ? CODE_ATOMIC_STORE : CODE_ATOMIC_LOAD;
  const struct value at = value_number((int64_t)address);
  const struct value operands[] = {stores ? *value : at, at};
  const enum flow flow = machine_atomic(m, t, &as, operands, value);
  if (flow != FLOW_NEXT) return flow;
  return machine_note_access(m, t, address, bytes, stores, RACING_ORDERED) ? flow : FLOW_STANDS;
}

enum flow racing_access(struct machine *m, struct thread *t, const struct instruction *i,
                        uint64_t address, struct value *value) {
  return m->has_regions ? in_region(m, t, i, address, value) : as_atomic(m, t, i, address, value);
}

/* ---- schedules ---- */

char *racing_text(const struct machine *m) {
  enum { DIGITS = 24 };
  char *text = malloc(m->racing_begun * DIGITS + 1), *end = text;
  if (text == NULL) return NULL;
  *text = '\0';
  for (size_t i = 0; i < m->racing_begun; i++)
    end += snprintf(end, DIGITS, "%s%" PRIu64, i > 0 ? "," : "", m->racing[i]);
  return text;
}

bool racing_read(struct machine *m, const char *text, size_t length) {
  const char *end = text + length;
  while (text < end) {
    char *behind;
    const uint64_t byte = strtoull(text, &behind, 10);
    if (behind == text || behind > end) return false;
    if (racing_enter(m, byte, 1) < 0) {
      machine_stop(m, UNF_MEMORY);
      return false;
    }
    text = behind < end && *behind == ',' ? behind + 1 : behind;
    if (behind < end && *behind != ',') return false;
  }
  return true;
}

void racing_free(struct machine *m) {
  index_free(&m->racing_index);
  free(m->racing);
}
