/*
 * Atomic operations on what is no number of 1, 2, 4 or 8 bytes, as structures and numbers of 128
 * bits are: each is done under a lock of its place, so all operations on one are ordered. clang
 * calls functions of these names; those that begin with __unfold are what instructions of 128 bits
 * become
 * (../translate_memory.c).
 */
#include "library.h"

#include <string.h>

__extension__ typedef unsigned __int128 number;
enum { WORD = 8 };

static bool are_equal(const void *one, const void *other, size_t size) {
  const uint64_t *a = one, *b = other;
  if (size % WORD != 0) return memcmp(one, other, size) == 0;
  for (size_t i = 0; i < size / WORD; i++) /* pointers are equal by their addresses alone */
    if (a[i] != b[i]) return false;
  return true;
}

/* Whether it was as expected; what it was is written there if not. */
static bool swap(size_t size, void *at, void *expected, const void *wanted) {
  __unfold_lock(at);
  const bool equal = are_equal(at, expected, size);
  if (equal)
    memcpy(at, wanted, size);
  else
    memcpy(expected, at, size);
  __unfold_unlock(at);
  return equal;
}

void load(size_t size, void *at, void *to, int order) __asm__("__atomic_load");
void load(size_t size, void *at, void *to, int order) {
  __unfold_order(order);
  __unfold_lock(at);
  memcpy(to, at, size);
  __unfold_unlock(at);
}

void store(size_t size, void *at, void *from, int order) __asm__("__atomic_store");
void store(size_t size, void *at, void *from, int order) {
  __unfold_order(order);
  __unfold_lock(at);
  memcpy(at, from, size);
  __unfold_unlock(at);
}

void exchange(size_t size, void *at, void *from, void *to, int order) __asm__("__atomic_exchange");
void exchange(size_t size, void *at, void *from, void *to, int order) {
  __unfold_order(order);
  __unfold_lock(at);
  memcpy(to, at, size);
  memcpy(at, from, size);
  __unfold_unlock(at);
}

bool compare(size_t size, void *at, void *expected, void *wanted, int good,
             int bad) __asm__("__atomic_compare_exchange");
bool compare(size_t size, void *at, void *expected, void *wanted, int good, int bad) {
  __unfold_order(good);
  __unfold_order(bad);
  return swap(size, at, expected, wanted);
}

/* ---- instructions of 128 bits ---- */

number __unfold_wide_load(number *at) {
  __unfold_lock(at);
  const number value = *at;
  __unfold_unlock(at);
  return value;
}

void __unfold_wide_store(number value, number *at) {
  __unfold_lock(at);
  *at = value;
  __unfold_unlock(at);
}

/* What it was, which is as expected if it succeeded. */
number __unfold_wide_compare(number *at, number expected, number wanted) {
  swap(sizeof *at, at, &expected, &wanted);
  return expected;
}

/* An enum update of ../code.h; what it was. */
number __unfold_wide_update(number *at, number with, uint64_t update) {
  enum { EXCHANGE, ADD, SUBTRACT, AND, NAND, OR, XOR };
  __unfold_lock(at);
  const number was = *at;
  switch (update) {
  case EXCHANGE:
    *at = with;
    break;
  case ADD:
    *at = was + with;
    break;
  case SUBTRACT:
    *at = was - with;
    break;
  case AND:
    *at = was & with;
    break;
  case NAND:
    *at = ~(was & with);
    break;
  case OR:
    *at = was | with;
    break;
  default:
    *at = was ^ with;
    break;
  }
  __unfold_unlock(at);
  return was;
}
