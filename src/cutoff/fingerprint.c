/*
 * Fragments and their hashes. The input of a hash is one byte that distinguishes fragments from
 * counters, the location in eight bytes, the least significant first, and then the value. The part
 * before the value has a fixed length, so different fragments have different inputs.
 */
#include <unfold/fingerprint.h>

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef UNF_HAVE_SODIUM
#include <sodium/crypto_generichash.h>
#endif

enum domain { FRAGMENT, COUNTER };
enum { PREFIX = 9, SHORT = 256 };

static void put_prefix(uint8_t *to, enum domain domain, uint64_t location) {
  to[0] = (uint8_t)domain;
  for (unsigned i = 1; i < PREFIX; i++)
    to[i] = (uint8_t)(location >> 8 * (i - 1));
}

static void fast(const uint8_t *prefix, const void *value, size_t size, uint64_t out[4]) {
  XXH128_hash_t hash;
  if (size <= SHORT) {
    uint8_t input[PREFIX + SHORT];
    memcpy(input, prefix, PREFIX);
    if (size > 0) memcpy(input + PREFIX, value, size);
    hash = XXH3_128bits(input, PREFIX + size);
  } else {
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, prefix, PREFIX);
    XXH3_128bits_update(&state, value, size);
    hash = XXH3_128bits_digest(&state);
  }
  out[0] = hash.low64;
  out[1] = hash.high64;
  out[2] = out[3] = 0;
}

#ifdef UNF_HAVE_SODIUM
static void strong(const uint8_t *prefix, const void *value, size_t size, uint64_t out[4]) {
  uint8_t bytes[32];
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, sizeof bytes);
  crypto_generichash_update(&state, prefix, PREFIX);
  if (size > 0) crypto_generichash_update(&state, value, size);
  crypto_generichash_final(&state, bytes, sizeof bytes);
  for (unsigned i = 0; i < 4; i++) {
    out[i] = 0;
    for (unsigned j = 8; j-- > 0;)
      out[i] = out[i] << 8 | bytes[8 * i + j];
  }
}
#endif

static unf_status hash_of(unf_hash hash, enum domain domain, uint64_t location, const void *value,
                          size_t size, uint64_t out[4]) {
  uint8_t prefix[PREFIX];
  put_prefix(prefix, domain, location);
  if (value == NULL && size > 0) return UNF_INVALID;
  switch (hash) {
  case UNF_HASH_FAST:
    fast(prefix, value, size, out);
    return UNF_OK;
  case UNF_HASH_STRONG:
#ifdef UNF_HAVE_SODIUM
    strong(prefix, value, size, out);
    return UNF_OK;
#else
    return UNF_UNSUPPORTED;
#endif
  case UNF_HASH_COUNT:
    break;
  }
  return UNF_INVALID;
}

unf_status unf_fingerprint_toggle(unf_hash hash, unf_fingerprint *f, uint64_t location,
                                  const void *value, size_t size) {
  if (f == NULL) return UNF_INVALID;
  uint64_t words[4];
  unf_status status = hash_of(hash, FRAGMENT, location, value, size, words);
  for (unsigned i = 0; status == UNF_OK && i < 4; i++)
    f->bits[i] ^= words[i];
  return status;
}

unf_status unf_fingerprint_replace(unf_hash hash, unf_fingerprint *f, uint64_t location,
                                   const void *from, const void *to, size_t size) {
  if (f == NULL) return UNF_INVALID;
  uint64_t before[4], after[4];
  unf_status status = hash_of(hash, FRAGMENT, location, from, size, before);
  if (status == UNF_OK) status = hash_of(hash, FRAGMENT, location, to, size, after);
  for (unsigned i = 0; status == UNF_OK && i < 4; i++)
    f->bits[i] ^= before[i] ^ after[i];
  return status;
}

unf_status unf_fingerprint_count(unf_hash hash, unf_fingerprint *f, uint64_t location,
                                 int64_t amount) {
  if (f == NULL) return UNF_INVALID;
  uint64_t words[4];
  unf_status status = hash_of(hash, COUNTER, location, NULL, 0, words);
  for (unsigned i = 0; status == UNF_OK && i < 2; i++)
    f->sums[i] += words[i] * (uint64_t)amount;
  return status;
}

void unf_fingerprint_combine(unf_fingerprint *to, const unf_fingerprint *from) {
  if (to == NULL || from == NULL) return;
  for (unsigned i = 0; i < 4; i++)
    to->bits[i] ^= from->bits[i];
  for (unsigned i = 0; i < 2; i++)
    to->sums[i] += from->sums[i];
}

void unf_fingerprint_remove(unf_fingerprint *from, const unf_fingerprint *what) {
  if (from == NULL || what == NULL) return;
  for (unsigned i = 0; i < 4; i++)
    from->bits[i] ^= what->bits[i];
  for (unsigned i = 0; i < 2; i++)
    from->sums[i] -= what->sums[i];
}

bool unf_fingerprint_equal(const unf_fingerprint *a, const unf_fingerprint *b) {
  return a != NULL && b != NULL && memcmp(a, b, sizeof *a) == 0;
}
