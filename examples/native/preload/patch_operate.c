/* From an instruction and the registers to an operation of the memory family. */
#include "patch_operate.h"

#include <errno.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/modules.h"
#include "entry.h"
#include "learn.h"
#include "locations.h"
#include "modules.h"
#include "patch.h"
#include "patch_filter.h"
#include "patch_hit.h"
#include "patch_move.h"
#include "quiet.h"
#include "ranges.h"
#include "scheduler.h"
#include "turns.h"
#include "waits.h"
#include "waits_quiet.h"
#include "words.h"

enum { RAX = 0, CARRY = 1, SEQUENTIALLY_CONSISTENT = 5, FRAMES_SEARCHED = 128 };

static const char *const names[] = {
#define NAME(name, text) "the instruction " text,
    SITE_KIND_TABLE(NAME)
#undef NAME
};

static uint64_t register_value(const struct patch_frame *frame, unsigned number) {
  if (number >= SITE_HIGH_BYTE) return frame->registers[number - SITE_HIGH_BYTE] >> 8;
  return number < SITE_RIP ? frame->registers[number] : 0;
}

static unsigned bits_of(const struct site *s) {
  return 8u * s->size;
}

static uint64_t operand_of(const struct patched *p, const struct patch_frame *frame) {
  return p->site.operand == SITE_NONE ? (uint64_t)(int64_t)p->site.immediate
                                      : register_value(frame, p->site.operand);
}

/* A bit whose number is in a register may lie in another word. */
static uint64_t find_bit(const struct site *s, uint64_t number, uint64_t *address) {
  if (s->operand != SITE_NONE) {
    const unsigned bits = bits_of(s);
    const int64_t place = (int64_t)(number << (64 - bits)) >> (64 - bits);
    *address += (uint64_t)(place >> (bits == 64 ? 6 : bits == 32 ? 5 : 4)) * s->size;
  }
  return (uint64_t)1 << (number & (bits_of(s) - 1u));
}

struct access patch_access(const struct patched *p, const struct patch_frame *frame) {
  const struct site *s = &p->site;
  const uint64_t carry = frame->flags & CARRY, operand = operand_of(p, frame);
  uint64_t address = patch_address(p, frame), bit = 0, low = operand, high = 0;
  unf_operation_kind kind = UNF_FETCH_ADD;
  if (s->kind == SITE_BTS || s->kind == SITE_BTR || s->kind == SITE_BTC)
    bit = find_bit(s, operand, &address);
  switch (s->kind) {
  case SITE_CMPXCHG:
    kind = UNF_CAS;
    low = frame->registers[RAX];
    high = operand;
    break;
  case SITE_XCHG:
    kind = UNF_EXCHANGE;
    break;
  case SITE_XADD:
  case SITE_ADD:
    break;
  case SITE_SUB:
    low = 0 - operand;
    break;
  case SITE_INC:
    low = 1;
    break;
  case SITE_DEC:
    low = UINT64_MAX;
    break;
  case SITE_ADC:
    low = operand + carry;
    break;
  case SITE_SBB:
    low = 0 - operand - carry;
    break;
  case SITE_AND:
    kind = UNF_FETCH_AND;
    break;
  case SITE_OR:
    kind = UNF_FETCH_OR;
    break;
  case SITE_XOR:
    kind = UNF_FETCH_XOR;
    break;
  case SITE_NOT:
    kind = UNF_FETCH_XOR;
    low = UINT64_MAX;
    break;
  case SITE_BTS:
    kind = UNF_FETCH_OR;
    low = bit;
    break;
  case SITE_BTR:
    kind = UNF_FETCH_AND;
    low = ~bit;
    break;
  case SITE_BTC:
    kind = UNF_FETCH_XOR;
    low = bit;
    break;
  default:
    kind = UNF_OPERATION_COUNT;
    break;
  }
  return (struct access){.name = names[s->kind],
                         .bits = bits_of(s),
                         .kind = kind,
                         .address = (const volatile void *)(uintptr_t)address,
                         .low = low,
                         .high = high,
                         .order = SEQUENTIALLY_CONSISTENT};
}

uint64_t memory_value(uint64_t address, unsigned size) {
  uint64_t value = 0;
  memcpy(&value, (const void *)(uintptr_t)address, size);
  return value;
}

static const char *module_name(uint64_t place, bool *own) {
  uint32_t module, here;
  uint64_t offset;
  *own = false;
  if (!module_locate(place, &module, &offset)) return "";
  module_locate((uint64_t)(uintptr_t)module_name, &here, &offset);
  *own = module == here;
  return control->modules[module].path;
}

/* Whether a function of the C library called what the thread is in (qsort, an exit handler): the
 * thread may stop here in the middle of it. Asked once for each place. */
static bool called_by_libc(void) {
  void *frames[FRAMES_SEARCHED];
  const int count = backtrace(frames, FRAMES_SEARCHED);
  bool own = true, between = false;
  int i = 0;
  for (; i < count && own; i++)
    module_name((uint64_t)(uintptr_t)frames[i], &own);
  for (; i < count && !own; i++)
    between |= strstr(module_name((uint64_t)(uintptr_t)frames[i], &own), "/libc.so.") != NULL;
  return own && between;
}

static void meet(const struct patched *p) {
  if (p->number >= SITES_SEEN_MAX || control->sites_seen[p->number]) return;
  control->sites_seen[p->number] = true;
  control->sites_met++;
  if (called_by_libc() && control->sites_in_callbacks++ == 0)
    control->callback_place = p->address + 1;
}

static bool changes(const struct access *access) {
  if (access->kind == UNF_OPERATION_COUNT) return false;
  const uint64_t mask = UINT64_MAX >> (64 - access->bits), low = access->low & mask;
  const uint64_t old = memory_value((uint64_t)(uintptr_t)access->address, access->bits / 8);
  switch (access->kind) {
  case UNF_CAS:
    return old == low;
  case UNF_EXCHANGE:
    return old != low;
  case UNF_FETCH_AND:
    return (old & low) != old;
  case UNF_FETCH_OR:
    return (old | low) != old;
  default:
    return low != 0;
  }
}

/* Of the only thread, whose plain accesses there are no operations either. */
static bool is_early(const struct access *access) {
  const struct byte_span m = {(uint64_t)(uintptr_t)access->address, access->bits / 8};
  return words_watched() && locations_early(&m) && changes(access);
}

/* One that changes nothing is a look: a lock that is tried again and again. */
static void operate_locked(const struct patched *p, const struct patch_frame *frame) {
  struct access access = patch_access(p, frame);
  const uint64_t address = (uint64_t)(uintptr_t)access.address;
  struct thread *me = thread_self();
  uint64_t value;
  if (quiet_performs(p, address)) return;
  meet(p);
  /* What is not there is the program's own failure. */
  (void)*(const volatile char *)access.address;
  words_learn(address, p->site.size);
  if (is_early(&access)) {
    waits_written();
    return;
  }
  if (learn_acquires(p, &access)) {
    if (turns_again(p, frame, address)) waits_end(p->address + 1);
    me->acquires = p;
    access.kind = UNF_EXCHANGE_AWAIT;
    access.relation = UNF_EQUAL;
    location_operate(&access, p->address + 1);
    me->acquires = NULL;
    turns_did(p, address, 0, true);
    waits_written();
    return;
  }
  const enum wait wait =
      access.kind == UNF_OPERATION_COUNT ? WAIT_NOT : waits_again(p, frame, address, &value);
  if (wait != WAIT_NOT) location_await(&access, value, wait == WAIT_PERHAPS, p->address + 1);
  const bool changed = location_operate(&access, p->address + 1);
  if (ranges_divided()) return;
  turns_did(p, address, memory_value(address, p->site.size), changed);
  if (changed) {
    waits_written();
    return;
  }
  waits_read(p, frame, memory_value(address, p->site.size));
  learn_failed(p, &access);
}

void patch_operate(const struct patched *p, const struct patch_frame *frame,
                   const unsigned char *state) {
  const int before = errno;
  if (thread_self() == NULL) return;
  if ((p->site.flags & SITE_MOVE) != 0)
    move_operate(p, frame, state);
  else
    operate_locked(p, frame);
  errno = before;
}
