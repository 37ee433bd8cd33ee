/*
 * Numbers as bytes, in blocks with checksums, through the caller's callbacks.
 *
 * A number has seven bits in a byte, the lowest first; all but the last have the eighth bit set. A
 * block is its length (4 bytes, at most BYTES_BLOCK), the sum of all blocks so far (8 bytes), and
 * that many bytes; one of no bytes ends it all. Words of several bytes have the lowest first. The
 * sum changes with every byte, so that damage is found in the block where it is, before anything in
 * it is believed; doc/formats.md has it to the bit.
 *
 * After the first failure, whose status is kept, nothing is written, and only 0 is read.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <unfold/continue.h>
#include <unfold/output.h>

#include "base/context.h"

/* The bytes of a block, and of what stands in front of them; the most that a number has. */
enum { BYTES_BLOCK = 65536, BYTES_HEAD = 12, BYTES_LONGEST = 10 };

struct bytes_out {
  unf_context *context;
  unf_write write;
  void *user;
  unf_status status;
  uint64_t sum;
  uint8_t *block; /* with room for its head */
  uint8_t **kept; /* where it stays for the next one; NULL: nowhere */
  uint32_t used;  /* without the head */
};

struct bytes_in {
  unf_context *context;
  unf_read read;
  void *user;
  unf_status status;
  uint64_t sum;
  uint64_t before; /* bytes that were read before the block */
  uint8_t *block;
  uint32_t size, at; /* of the block; the same after a failure */
  bool ended;        /* it was the last one */
};

/* Takes the buffer; returns false when refused. */
bool unfi_bytes_begin(struct bytes_out *out, unf_context *context, unf_write write, void *user);
/* With a buffer that stays, and that the caller frees in the end; NULL: there is none yet. */
bool unfi_bytes_begin_in(struct bytes_out *out, unf_context *context, unf_write write, void *user,
                         uint8_t **kept);
void unfi_bytes_free(unf_context *context, uint8_t **kept);
/* Writes what is left, and the last block; frees a buffer that does not stay. Returns the status of
 * all. */
unf_status unfi_bytes_end(struct bytes_out *out);
void unfi_bytes_raw(struct bytes_out *out, const void *bytes, size_t size);
void unfi_bytes_put(struct bytes_out *out, uint64_t number);
/* For many numbers in a row: room for so many bytes, at most a block, at which they are put by
 * bytes_at(); and where they end. A number has at most BYTES_LONGEST. */
void unfi_bytes_flush(struct bytes_out *out);
static inline uint8_t *bytes_room(struct bytes_out *out, uint32_t most) {
  if (BYTES_BLOCK - out->used < most) unfi_bytes_flush(out);
  return out->block + BYTES_HEAD + out->used;
}
/* The last place at which there is room for so many. */
static inline uint8_t *bytes_last(struct bytes_out *out, uint32_t most) {
  return out->block + BYTES_HEAD + BYTES_BLOCK - most;
}
static inline uint8_t *bytes_at(uint8_t *to, uint64_t number) {
  for (; number >= 128; number >>= 7)
    *to++ = (uint8_t)(number | 128);
  *to++ = (uint8_t)number;
  return to;
}
static inline void bytes_end(struct bytes_out *out, const uint8_t *to) {
  out->used = (uint32_t)(to - out->block) - BYTES_HEAD;
}
/* Bytes that were put before. */
void unfi_bytes_copy(struct bytes_out *out, const uint8_t *bytes, uint32_t size);
void unfi_bytes_put_signed(struct bytes_out *out, int64_t number);
/* A number as its bits in IEEE 754. */
void unfi_bytes_put_double(struct bytes_out *out, double number);
void unfi_bytes_put_text(struct bytes_out *out, const char *text);

bool unfi_bytes_open(struct bytes_in *in, unf_context *context, unf_read read, void *user);
/* Reads other bytes, with the buffer that was taken. */
void unfi_bytes_open_again(struct bytes_in *in, unf_read read, void *user);
/* Frees the buffer. */
void unfi_bytes_close(struct bytes_in *in);
/* Bytes outside of blocks. */
void unfi_bytes_raw_in(struct bytes_in *in, void *bytes, size_t size);
uint64_t unfi_bytes_get_long(struct bytes_in *in);
/* Most numbers are a byte. After a failure there are none left. */
static inline uint64_t unfi_bytes_get(struct bytes_in *in) {
  if (in->at < in->size && in->block[in->at] < 128) return in->block[in->at++];
  return unfi_bytes_get_long(in);
}
/* A number below a bound: the status is UNF_FORMAT, and the number 0, if it is not; `what` it is.
 */
uint32_t unfi_bytes_get_below_long(struct bytes_in *in, uint64_t bound, const char *what);
static inline uint32_t unfi_bytes_get_below(struct bytes_in *in, uint64_t bound, const char *what) {
  if (in->at < in->size && in->block[in->at] < 128 && in->block[in->at] < bound)
    return in->block[in->at++];
  return unfi_bytes_get_below_long(in, bound, what);
}
int64_t unfi_bytes_get_signed(struct bytes_in *in);
double unfi_bytes_get_double(struct bytes_in *in);
/* Whether a text that was written is this one. */
bool unfi_bytes_get_same(struct bytes_in *in, const char *text);
/* Reads the last block, behind which there is nothing. */
void unfi_bytes_finish(struct bytes_in *in);
/* The bytes do not mean anything, as far as they were read; in `status`, which it returns. */
RARE unf_status unfi_bytes_malformed(struct bytes_in *in, const char *what);
/* Makes a status that is not UNF_OK that of the whole. */
unf_status unfi_bytes_note(struct bytes_in *in, unf_status status);

#endif
