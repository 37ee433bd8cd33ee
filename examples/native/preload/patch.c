/* Putting jumps where the places are, in the worker, in front of main.
 *
 * A jump has five bytes, and many of these instructions have fewer. Only the instruction's own
 * bytes are changed: the jump's distance then has as its upper bytes whatever follows, and the
 * trampoline must lie in the window that this leaves. Since what follows may be such a jump too,
 * places are changed from higher to lower addresses. Where a window has no room, what follows makes
 * room, or the jump goes by way of a stepping stone (patch_stones.c); else the first byte becomes a
 * breakpoint, whose handler goes to the trampoline.
 *
 * A trampoline (patch_code.c) calls patch_enter, performs a copy of the instruction and jumps back.
 * So what the instruction does to registers, flags and memory, it does itself. */
#include "patch.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "../control.h"
#include "../control/modules.h"
#include "accesses.h"
#include "entry.h"
#include "heap.h"
#include "modules.h"
#include "patch_code.h"
#include "patch_filter.h"
#include "patch_hit.h"
#include "patch_later.h"
#include "patch_room.h"
#include "patch_scan.h"
#include "patch_stones.h"
#include "quiet.h"
#include "refuse.h"
#include "system_call.h"
#include "trap.h"
#include "words.h"

enum { BREAKPOINT = 0xcc, NO_INSTRUCTION = 0x06 };
#define PLACES_SPACE ((uint64_t)1 << 32)
#define REACH        (((int64_t)1 << 31) - 2 * PAGE)

static struct batch {
  bool done;
  struct patched *places; /* in order of their addresses */
  uint32_t count;
} batches[MODULES_MAX];
static uint32_t numbers; /* of read-modify-writes */
static bool began, traps, any;

static void *address_of(uint64_t address) {
  return (void *)(uintptr_t)address;
}

bool patch_any(void) {
  return any;
}

int patch_signal(void) {
  return !traps ? 0 : control->settings.replay ? SIGILL : SIGTRAP;
}

const struct patched *patch_at(uint64_t address) {
  for (uint32_t i = 0; i < control->module_count; i++) {
    uint32_t low = 0, high = batches[i].count;
    while (low < high) {
      uint32_t middle = (low + high) / 2;
      if (batches[i].places[middle].address < address)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < batches[i].count && batches[i].places[low].address == address)
      return &batches[i].places[low];
  }
  return NULL;
}

const struct patched *patch_of_copy(uint64_t address) {
  for (uint32_t i = 0; i < control->module_count; i++)
    for (uint32_t j = 0; j < batches[i].count; j++) {
      const struct patched *p = &batches[i].places[j];
      if (p->trampoline != 0 && address - p->trampoline < code_size(p)) return p;
    }
  return NULL;
}

/* ---- trampolines ---- */

/* Where its own address, what it refers to, and where it goes on are near enough. */
static uint64_t take(const struct patched *p, int64_t low, int64_t high) {
  const struct site *s = &p->site;
  const int64_t here = (int64_t)p->address;
  const int64_t others[] = {here, s->base == SITE_RIP ? here + s->length + s->displacement : here,
                            (int64_t)code_tail_target(p), p->next != 0 ? (int64_t)p->next : here};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (low < others[i] - REACH) low = others[i] - REACH;
    if (high > others[i] + REACH) high = others[i] + REACH;
  }
  return low < high ? room_take(low, high, code_size(p), p->address) : 0;
}

/* ---- places ---- */

/* A breakpoint costs a signal, and a debugger would stop at it; so what follows makes room for a
 * jump, if it can. If that is a place too, it has a trampoline already. */
static bool make_room(struct patched *p, const struct patched *behind) {
  const struct site *s = &p->site;
  const uint64_t end = p->address + s->length, tail_end = end + s->tail_size;
  if (s->tail == SITE_TAIL_NONE) return false;
  if (behind != NULL && behind->address < tail_end) {
    if (behind->address != end || s->length + behind->site.length < PATCH_JUMP_SIZE) return false;
    p->next = behind->trampoline;
    return true;
  }
  if (s->tail == SITE_TAIL_FIXED) return false;
  p->tail = s->tail;
  p->next = tail_end;
  return true;
}

/* With a jump of its own bytes, or with what follows; or by way of a stepping stone. How many bytes
 * are not executed any more; 0: there is no room. */
static unsigned jump_to(struct patched *p, const struct patched *behind, uint64_t text_high) {
  int64_t low, high;
  if (p->address + PATCH_JUMP_SIZE <= text_high) {
    stones_window(p->address, p->site.length, &low, &high);
    p->trampoline = take(p, low, high);
  }
  if (p->trampoline != 0) {
    code_write(p);
    stones_jump(p->address, p->site.length, p->trampoline);
    return p->site.length;
  }
  if (make_room(p, behind)) {
    p->trampoline = take(p, INT64_MIN, INT64_MAX);
    if (p->trampoline != 0) {
      code_write(p); /* from what follows, as it still is */
      stones_jump(p->address, PATCH_JUMP_SIZE, p->trampoline);
      return p->site.length + (p->tail != SITE_TAIL_NONE ? p->site.tail_size : 0u);
    }
    p->tail = SITE_TAIL_NONE; /* too far from where it goes on */
    p->next = 0;
  }
  const uint64_t stone = stones_take(p, take);
  if (stone == 0) return 0;
  code_write(p);
  stones_step(p->address, stone);
  return p->site.length;
}

/* behind: the next place with a trampoline, or NULL. */
static bool change(struct patched *p, const struct patched *behind, uint64_t text_high,
                   struct module_sites *counts) {
  unsigned char *at = address_of(p->address);
  if (memcmp(at, p->site.bytes, p->site.length) != 0) return false;
  const unsigned freed = jump_to(p, behind, text_high);
  if (freed > PATCH_JUMP_SIZE) {
    stones_add(p->address + PATCH_JUMP_SIZE, freed - PATCH_JUMP_SIZE, text_high);
  } else if (freed == 0) {
    p->trampoline = take(p, INT64_MIN, INT64_MAX);
    if (p->trampoline == 0) return false;
    code_write(p);
    *at = control->settings.replay ? NO_INSTRUCTION : BREAKPOINT;
    counts->trapped += (p->site.flags & SITE_MOVE) == 0;
    counts->moves_trapped += (p->site.flags & SITE_MOVE) != 0;
    traps = true;
  }
  if ((p->site.flags & SITE_MOVE) != 0)
    counts->moves++;
  else
    counts->patched++;
  return true;
}

static void count_left(struct module_sites *counts, const struct site *s) {
  counts->left += (s->flags & SITE_MOVE) == 0;
  counts->moves_left += (s->flags & SITE_MOVE) != 0;
}

/* Plain accesses of code that is compiled with callbacks are reported by that. Those of the
 * unwinder are its own affair, as the C library's are, and this library uses it. */
static bool moves_wanted(const struct module *m) {
  return !m->callbacks && strstr(m->path, "/libgcc_s.so.") == NULL;
}

/* The module's code as it is mapped, with other rights for a while; false: refused. Until it can be
 * executed again no function of the program may be called, nor one of the C library that the
 * program may have instead. */
static bool protect_code(const struct module *m, bool writable) {
  const struct mapping *mapping;
  for (uint32_t i = 0; (mapping = room_mapping(i)) != NULL; i++) {
    if ((mapping->protection & PROT_EXEC) == 0 || mapping->high <= m->text_low ||
        mapping->low >= m->text_high)
      continue;
    const int protection = writable ? PROT_READ | PROT_WRITE : mapping->protection;
    if (raw_call(SYS_mprotect, (long)mapping->low, (long)(mapping->high - mapping->low), protection,
                 0) != 0)
      return false;
  }
  return true;
}

/* Away from the code, near which there is to be room. */
static void *memory(uint64_t size) {
  static uint64_t away = PAGES_LOW - PLACES_SPACE;
  const long arguments[] = {
      (long)away, (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0};
  const long result = raw_call6(SYS_mmap, arguments);
  away += (size + PAGE - 1) / PAGE * PAGE;
  return result < 0 && result > -PAGE ? NULL : (void *)result;
}

static void patch_module(uint32_t number) {
  struct module *m = &control->modules[number];
  struct batch *batch = &batches[number];
  const struct site *sites;
  batch->done = true;
  m->sites = (struct module_sites){.searched = false}; /* of an earlier execution */
  if (m->excluded) return;
  m->quiet = quiet_module(number);
  m->sites.searched = true;
  const struct site_table *table = scan_table(number, &sites);
  if (table == NULL || table->readable == 0) return;
  m->sites.readable = true;
  m->sites.functions = table->ranges;
  m->sites.functions_left = table->ranges_left;
  m->sites.left = table->left;
  m->sites.moves_left = table->moves_left;
  m->sites.outside = table->outside;
  m->sites.unknown = table->unknown;
  m->sites.unknown_at = table->unknown_at;
  if (table->sites == 0) return;
  const bool moves = moves_wanted(m);
  batch->places = memory(table->sites * sizeof *batch->places);
  if (batch->places == NULL || !protect_code(m, true)) {
    for (uint32_t i = 0; i < table->sites; i++)
      count_left(&m->sites, &sites[i]);
    return;
  }
  batch->count = table->sites;
  const struct patched *behind = NULL;
  for (uint32_t i = table->sites; i-- > 0;) {
    struct patched *p = &batch->places[i];
    *p = (struct patched){.address = m->base + sites[i].offset, .site = sites[i]};
    if (!moves && (p->site.flags & SITE_MOVE) != 0) continue;
    p->quiet = quiet_place(number, sites[i].offset);
    if (p->quiet && (p->site.flags & SITE_MOVE) != 0) continue;
    m->sites.quiet += p->quiet;
    p->number = numbers;
    numbers += (p->site.flags & SITE_MOVE) == 0;
    m->sites.places += (p->site.flags & SITE_MOVE) == 0;
    any = true;
    bool inside = p->address >= m->text_low && p->address + p->site.length <= m->text_high;
    if (inside && change(p, behind, m->text_high, &m->sites))
      behind = p;
    else
      count_left(&m->sites, &p->site);
  }
  if (!protect_code(m, false)) give_up(OUTCOME_BROKEN, "changed code cannot be executed again");
}

bool patch_breakpoint(ucontext_t *machine) {
  greg_t *next = &machine->uc_mcontext.gregs[REG_RIP];
  const struct patched *p = patch_at((uint64_t)*next - (control->settings.replay ? 0 : 1));
  if (p == NULL || p->trampoline == 0) return false;
  *next = (greg_t)p->trampoline;
  return true;
}

static const char *prepare(void) {
  if (control->settings.scanner[0] == '\0') return "unfold was built without Zydis";
  if (!trap_possible()) return "the system does not hand over system calls, so futexes are unseen";
  return room_begin();
}

/* Atomic objects there are known by their place; nobody writes to what cannot be written. */
static void see_memory(void) {
  uint32_t module;
  uint64_t offset;
  const struct mapping *mapping;
  for (uint32_t i = 0; (mapping = room_mapping(i)) != NULL; i++) {
    if ((mapping->protection & PROT_WRITE) == 0)
      words_free(mapping->low, mapping->high);
    else if (!module_locate(mapping->low, &module, &offset))
      memory_add(mapping->low, mapping->high);
  }
}

void patch_modules(void) {
  for (uint32_t i = 0; i < control->module_count; i++)
    control->modules[i].excluded = scan_excluded(i);
  if (!control->settings.sites || control->sites_off[0] != '\0') return;
  const char *why = prepare();
  if (why != NULL) {
    snprintf(control->sites_off, sizeof control->sites_off, "%s", why);
    return;
  }
  if (!began && control->settings.moves && !words_prepare()) {
    snprintf(control->sites_off, sizeof control->sites_off, "there is no memory for it");
    room_end();
    return;
  }
  if (!began) see_memory();
  if (!began) scan_begin();
  scan_modules();
  for (uint32_t i = 0; i < control->module_count; i++)
    if (!batches[i].done && (!began || module_loaded(i))) patch_module(i);
  if (!room_end()) give_up(OUTCOME_BROKEN, "trampolines cannot be executed");
  if (began) return;
  began = true;
  patch_prepare();
}
