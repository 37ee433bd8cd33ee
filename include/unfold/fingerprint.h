/**
 * @file
 * Fingerprints of program states. A state consists of fragments; a fragment is a location (a number
 * that the front-end chooses) and the bytes that are there. A fingerprint is the exclusive or of
 * the hashes of all fragments. So a step that changes two locations costs four hashes, however
 * large the state is, and changes made by several threads can be combined in any order. Section 4.2
 * and appendix H of "Symbolic Partial-Order Execution for Testing Multi-Threaded Programs"
 * (Schemmel, Büning, Rodríguez, Laprell, Wehrle, CAV 2020, extended version).
 *
 * The initial state has the fingerprint 0; any other state has the fingerprint of all changes since
 * then. So states and changes have fingerprints of the same type.
 *
 * Counters are an addition to the paper. Steps of different threads that commute because they add
 * to one number, such as two posts of a semaphore, cannot name the number that they find there.
 * Instead, each adds a multiple of a hash to two separate words of the fingerprint.
 */
#ifndef UNFOLD_FINGERPRINT_H
#define UNFOLD_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/export.h>
#include <unfold/status.h>

UNF_BEGIN_DECLS

/** How fragments are hashed; doc/cutoffs.md has the times and the odds of a collision. */
typedef enum unf_hash {
  UNF_HASH_FAST = 0,   /**< XXH3, 128 bits: not safe against programs made to produce collisions */
  UNF_HASH_STRONG = 1, /**< BLAKE2b, 256 bits, a cryptographic hash */
  UNF_HASH_COUNT
} unf_hash;

/** A state, or a change of the state. Fingerprints that are combined or compared must be made with
 * the same hash. */
typedef struct unf_fingerprint {
  uint64_t bits[4]; /**< exclusive or of the fragments; UNF_HASH_FAST uses the first two */
  uint64_t sums[2]; /**< of the counters, modulo 2^64 */
} unf_fingerprint;

/** The initial state, or no change. */
#define UNF_FINGERPRINT_INIT                                                                       \
  {                                                                                                \
    {0, 0, 0, 0}, {                                                                                \
      0, 0                                                                                         \
    }                                                                                              \
  }

/**
 * Adds a fragment if it is not in the state, or removes it if it is. Errors: UNF_INVALID,
 * UNF_UNSUPPORTED (UNF_HASH_STRONG in a build without libsodium). Cost: one hash, O(size).
 */
UNF_API unf_status unf_fingerprint_toggle(unf_hash hash, unf_fingerprint *fingerprint,
                                          uint64_t location, const void *value, size_t size);

/** Replaces the bytes at a location. Errors: as unf_fingerprint_toggle(). Cost:
 * two hashes, O(size). */
UNF_API unf_status unf_fingerprint_replace(unf_hash hash, unf_fingerprint *fingerprint,
                                           uint64_t location, const void *from, const void *to,
                                           size_t size);

/** Adds a number to a counter, which is 0 initially. Errors: as unf_fingerprint_toggle().
 * Cost: one hash. */
UNF_API unf_status unf_fingerprint_count(unf_hash hash, unf_fingerprint *fingerprint,
                                         uint64_t location, int64_t amount);

/** Adds the changes of another fingerprint. O(1). */
UNF_API void unf_fingerprint_combine(unf_fingerprint *to, const unf_fingerprint *from);

/** Removes the changes of another fingerprint. O(1). */
UNF_API void unf_fingerprint_remove(unf_fingerprint *from, const unf_fingerprint *what);

/** Whether two fingerprints are equal. O(1). */
UNF_API bool unf_fingerprint_equal(const unf_fingerprint *a, const unf_fingerprint *b);

UNF_END_DECLS

#endif
