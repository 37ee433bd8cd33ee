/* From an instruction and the registers to an operation of the memory family. */
#include <errno.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "entry.h"
#include "locations.h"
#include "modules.h"
#include "patch.h"
#include "patch_hit.h"
#include "refuse.h"
#include "scheduler.h"

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

static uint64_t address_of(const struct patched *p, const struct patch_frame *frame) {
  const struct site *s = &p->site;
  uint64_t address = (uint64_t)(int64_t)s->displacement, block = 0;
  address += s->base == SITE_RIP ? p->address + s->length : register_value(frame, s->base);
  address += register_value(frame, s->index) * s->scale;
  if ((s->flags & SITE_THREAD_BLOCK) != 0) __asm__("mov %%fs:0, %0" : "=r"(block));
  return address + block;
}

static uint64_t operand_of(const struct patched *p, const struct patch_frame *frame) {
  return p->site.operand == SITE_NONE ? (uint64_t)(int64_t)p->site.immediate
                                      : register_value(frame, p->site.operand);
}

/* A bit whose number is in a register may lie in another word. */
static uint64_t find_bit(const struct site *s, uint64_t number, uint64_t *address) {
  if (s->operand != SITE_NONE) {
    const int64_t place = (int64_t)(number << (64 - s->bits)) >> (64 - s->bits);
    *address += (uint64_t)(place >> (s->bits == 64 ? 6 : s->bits == 32 ? 5 : 4)) * (s->bits / 8u);
  }
  return (uint64_t)1 << (number & (s->bits - 1u));
}

static struct access access_of(const struct patched *p, const struct patch_frame *frame) {
  const struct site *s = &p->site;
  const uint64_t carry = frame->flags & CARRY, operand = operand_of(p, frame);
  uint64_t address = address_of(p, frame), bit = 0, low = operand, high = 0;
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
                         .bits = s->bits,
                         .kind = kind,
                         .address = (const volatile void *)(uintptr_t)address,
                         .low = low,
                         .high = high,
                         .order = SEQUENTIALLY_CONSISTENT};
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

void patch_operate(const struct patched *p, const struct patch_frame *frame) {
  const int before = errno;
  if (thread_self() == NULL) return;
  meet(p);
  const struct access access = access_of(p, frame);
  /* What is not there is the program's own failure. */
  (void)*(const volatile char *)access.address;
  location_operate(&access, p->address + 1);
  errno = before;
}
