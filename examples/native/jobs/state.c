#include "state.h"

#include <string.h>
#include <sys/mman.h>

#include "../control.h"
#include "../control/modules.h"
#include "../control/saved.h"

void state_parts(struct control *control, struct state_part parts[STATE_PARTS]) {
  parts[0] = (struct state_part){(char *)&control->range_count, (char *)&control->carried};
  parts[1] = (struct state_part){(char *)&control->outcome, (char *)(control + 1)};
}

struct control *state_new(void) {
  void *block = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return block != MAP_FAILED ? block : NULL;
}

void state_free(struct control *state) {
  if (state != NULL) munmap(state, sizeof *state);
}

static bool is_empty(const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != 0) return false;
  return true;
}

bool state_put(struct wire *wire, struct control *control) {
  struct state_part parts[STATE_PARTS];
  bool good = true;
  state_parts(control, parts);
  for (uint32_t i = 0; i < STATE_PARTS; i++) {
    const size_t size = (size_t)(parts[i].to - parts[i].from);
    for (size_t at = 0; at < size && good; at += SAVED_PIECE) {
      const uint32_t piece = (uint32_t)(size - at < SAVED_PIECE ? size - at : SAVED_PIECE);
      const uint32_t head[] = {i, (uint32_t)at, piece};
      if (is_empty(parts[i].from + at, piece)) continue;
      good = wire_append(wire, (const char *)head, sizeof head) &&
             wire_append(wire, parts[i].from + at, piece);
    }
  }
  return good;
}

bool state_get(struct control *control, const char *bytes, size_t size) {
  struct state_part parts[STATE_PARTS];
  uint32_t head[3];
  state_parts(control, parts);
  for (int i = 0; i < STATE_PARTS; i++)
    memset(parts[i].from, 0, (size_t)(parts[i].to - parts[i].from));
  for (size_t at = 0; at < size; at += head[2]) {
    if (size - at < sizeof head) return false;
    memcpy(head, bytes + at, sizeof head);
    at += sizeof head;
    if (head[0] >= STATE_PARTS || head[2] > size - at) return false;
    const struct state_part *part = &parts[head[0]];
    const size_t room = (size_t)(part->to - part->from);
    if (head[1] > room || head[2] > room - head[1]) return false;
    memcpy(part->from + head[1], bytes + at, head[2]);
  }
  return true;
}

void state_know(struct control *to, const struct control *from) {
  const char *begin = (const char *)&from->range_count, *end = (const char *)&from->carried;
  memcpy(&to->settings, &from->settings, sizeof to->settings);
  memcpy((char *)&to->range_count, begin, (size_t)(end - begin));
  to->site_cache.used = from->site_cache.used;
  memcpy(to->site_cache.bytes, from->site_cache.bytes, from->site_cache.used);
}

uint64_t state_address(const struct control *to, const struct control *from, uint64_t address) {
  for (uint32_t i = 0; i < from->module_count; i++) {
    const struct module *m = &from->modules[i];
    if (address < m->low || address > m->high) continue;
    for (uint32_t j = 0; j < to->module_count; j++)
      if (strcmp(to->modules[j].path, m->path) == 0) return address - m->base + to->modules[j].base;
  }
  return address;
}
