/* Reading .eh_frame: descriptions of functions (FDE), each of which refers to a common part (CIE)
 * that says how its addresses are written. What is written in a way that no compiler uses for code
 * is left out, and so are functions that overlap in part: where one of them begins, the other's
 * instructions may not. */
#include "frames.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Formats of a pointer, in its lower half, and what it counts from, in its upper half. */
enum {
  ABSOLUTE = 0x00,
  UNSIGNED_2 = 0x02,
  UNSIGNED_4 = 0x03,
  UNSIGNED_8 = 0x04,
  SIGNED_2 = 0x0a,
  SIGNED_4 = 0x0b,
  SIGNED_8 = 0x0c,
  FORMAT = 0x0f,
  FROM_HERE = 0x10,
  UNKNOWN = 0xff
};

/* A place in the descriptions. Reading beyond the end makes it bad, and yields 0. */
struct cursor {
  const unsigned char *bytes;
  uint64_t at, end;
  bool bad;
};

static uint64_t number(struct cursor *c, unsigned size) {
  if (c->bad || size > c->end - c->at) {
    c->bad = true;
    return 0;
  }
  c->at += size;
  return bytes_number(c->bytes + c->at - size, size);
}

/* Of any length, seven bits in a byte. */
static uint64_t long_number(struct cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0; !c->bad; shift += 7) {
    uint64_t byte = number(c, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

static uint64_t pointer(struct cursor *c, unsigned format) {
  switch (format & FORMAT) {
  case UNSIGNED_2:
    return number(c, 2);
  case SIGNED_2:
    return (uint64_t)(int64_t)(int16_t)number(c, 2);
  case UNSIGNED_4:
    return number(c, 4);
  case SIGNED_4:
    return (uint64_t)(int64_t)(int32_t)number(c, 4);
  case ABSOLUTE:
  case UNSIGNED_8:
  case SIGNED_8:
    return number(c, 8);
  default:
    c->bad = true;
    return 0;
  }
}

/* How the functions of a common part write their addresses. */
static unsigned format_of(struct cursor c) {
  uint64_t version = number(&c, 1);
  const uint64_t text = c.at;
  while (number(&c, 1) != 0)
    continue;
  if (version != 1 && version != 3) return UNKNOWN;
  long_number(&c);
  long_number(&c);
  if (version == 1)
    number(&c, 1);
  else
    long_number(&c);
  if (c.bad) return UNKNOWN;
  if (c.bytes[text] == '\0') return ABSOLUTE;
  if (c.bytes[text] != 'z') return UNKNOWN;
  long_number(&c);
  unsigned format = ABSOLUTE;
  for (const unsigned char *letter = c.bytes + text + 1; *letter != '\0' && !c.bad; letter++) {
    if (*letter == 'R') format = (unsigned)number(&c, 1);
    if (*letter == 'L') number(&c, 1);
    if (*letter == 'P') pointer(&c, (unsigned)number(&c, 1));
    if (strchr("RLPSB", *letter) == NULL) return UNKNOWN;
  }
  return c.bad ? UNKNOWN : format;
}

bool spans_add(struct spans *spans, struct span span) {
  if (spans->count == spans->capacity) {
    size_t capacity = spans->capacity == 0 ? 256 : 2 * spans->capacity;
    struct span *at = realloc(spans->at, capacity * sizeof *at);
    if (at == NULL) return false;
    spans->at = at;
    spans->capacity = capacity;
  }
  spans->at[spans->count++] = span;
  return true;
}

/* One entry, with the cursor behind its length; false without memory. */
static bool read_entry(struct cursor entry, unsigned distance_size, uint64_t base,
                       struct spans *functions) {
  const uint64_t here = entry.at;
  uint64_t back = number(&entry, distance_size);
  if (entry.bad || back == 0 || back > here) return true;
  struct cursor common = {entry.bytes, here - back, here, false};
  uint64_t length = number(&common, 4);
  bool wide = length == UINT32_MAX;
  if (wide) length = number(&common, 8);
  if (common.bad || length > common.end - common.at) return true;
  common.end = common.at + length;
  if (number(&common, wide ? 8 : 4) != 0) return true;
  const unsigned format = format_of(common), from = format & ~(unsigned)FORMAT;
  if (format == UNKNOWN || (from != ABSOLUTE && from != FROM_HERE)) return true;
  const uint64_t position = base + entry.at;
  uint64_t low = pointer(&entry, format) + (from == FROM_HERE ? position : 0);
  uint64_t size = pointer(&entry, format & FORMAT);
  if (entry.bad || size == 0 || size > UINT64_MAX - low) return true;
  return spans_add(functions, (struct span){low, low + size});
}

static int compare(const void *a, const void *b) {
  const struct span *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return x->high < y->high ? -1 : x->high > y->high;
}

void spans_sort(struct spans *s) {
  if (s->count > 0) qsort(s->at, s->count, sizeof *s->at, compare);
}

size_t spans_find(const struct spans *s, uint64_t address) {
  size_t low = 0, high = s->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (s->at[middle].high <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* In order, without those that were said twice and those that overlap. */
static void tidy(struct spans *s) {
  size_t kept = 0;
  uint64_t high = 0;
  if (s->count == 0) return;
  spans_sort(s);
  for (size_t i = 0; i < s->count; i++)
    if (i == 0 || compare(&s->at[i], &s->at[kept - 1]) != 0) s->at[kept++] = s->at[i];
  s->count = kept;
  kept = 0;
  for (size_t i = 0; i < s->count; i++) {
    const struct span now = s->at[i];
    bool alone = now.low >= high && (i + 1 == s->count || s->at[i + 1].low >= now.high);
    if (now.high > high) high = now.high;
    if (alone) s->at[kept++] = now;
  }
  s->count = kept;
}

bool frames_read(const struct image *image, struct spans *functions) {
  struct span whole;
  uint64_t room;
  if (!image_frames(image, &whole)) return true;
  const unsigned char *bytes = image_at(image, whole.low, false, &room);
  struct cursor c = {bytes, 0, whole.high - whole.low, false};
  while (bytes != NULL && !c.bad && c.at < c.end) {
    uint64_t length = number(&c, 4);
    unsigned distance_size = 4;
    if (length == UINT32_MAX) {
      length = number(&c, 8);
      distance_size = 8;
    }
    if (c.bad || length == 0 || length > c.end - c.at) break;
    struct cursor entry = {bytes, c.at, c.at + length, false};
    if (!read_entry(entry, distance_size, whole.low, functions)) return false;
    c.at += length;
  }
  tidy(functions);
  return true;
}
