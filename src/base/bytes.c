/* Numbers as bytes, with checksums. */
#include "base/bytes.h"

#include <string.h>

#include "base/table.h"
#include "base/text.h"

enum { LENGTH = 4 };
/* The sum of nothing. */
#define FIRST_SUM 0x756e666f6c64u

static void store(uint8_t *bytes, uint64_t word, unsigned size) {
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (uint8_t)(word >> 8 * i);
}

static uint64_t load(const uint8_t *bytes, unsigned size) {
  uint64_t word = 0;
  for (unsigned i = 0; i < size; i++)
    word |= (uint64_t)bytes[i] << 8 * i;
  return word;
}

/* In one instruction, where the processor has the lowest byte first. */
static uint64_t load_whole(const uint8_t *bytes) {
  return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
         (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
         (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

/* Each word changes what is made of all that comes after it, since mix() is a bijection in both of
 * its arguments. */
static uint64_t sum_of(uint64_t sum, const uint8_t *bytes, uint32_t size) {
  uint32_t i = 0;
  sum = mix(sum, size);
  for (; size - i >= sizeof sum; i += (uint32_t)sizeof sum)
    sum = mix(sum, load_whole(bytes + i));
  return i < size ? mix(sum, load(bytes + i, size - i)) : sum;
}

/* ---- writing ---- */

bool unfi_bytes_begin(struct bytes_out *out, unf_context *context, unf_write write, void *user) {
  *out = (struct bytes_out){.context = context, .write = write, .user = user, .sum = FIRST_SUM};
  out->block = unfi_reallocate(context, NULL, 0, BYTES_HEAD + BYTES_BLOCK);
  return out->block != NULL;
}

bool unfi_bytes_begin_in(struct bytes_out *out, unf_context *context, unf_write write, void *user,
                         uint8_t **kept) {
  *out = (struct bytes_out){
      .context = context, .write = write, .user = user, .sum = FIRST_SUM, .kept = kept};
  if (*kept == NULL) *kept = unfi_reallocate(context, NULL, 0, BYTES_HEAD + BYTES_BLOCK);
  out->block = *kept;
  return out->block != NULL;
}

void unfi_bytes_free(unf_context *context, uint8_t **kept) {
  if (*kept != NULL) *kept = unfi_reallocate(context, *kept, BYTES_HEAD + BYTES_BLOCK, 0);
}

void unfi_bytes_raw(struct bytes_out *out, const void *bytes, size_t size) {
  if (out->status == UNF_OK && !out->write(out->user, bytes, size))
    out->status = unfi_fail(out->context, UNF_WRITE, NULL);
}

void unfi_bytes_flush(struct bytes_out *out) {
  out->sum = sum_of(out->sum, out->block + BYTES_HEAD, out->used);
  store(out->block, out->used, LENGTH);
  store(out->block + LENGTH, out->sum, sizeof out->sum);
  unfi_bytes_raw(out, out->block, BYTES_HEAD + out->used);
  out->used = 0;
}

unf_status unfi_bytes_end(struct bytes_out *out) {
  if (out->used > 0) unfi_bytes_flush(out);
  unfi_bytes_flush(out);
  if (out->kept == NULL) unfi_bytes_free(out->context, &out->block);
  return out->status;
}

void unfi_bytes_put(struct bytes_out *out, uint64_t number) {
  bytes_end(out, bytes_at(bytes_room(out, BYTES_LONGEST), number));
}

void unfi_bytes_copy(struct bytes_out *out, const uint8_t *bytes, uint32_t size) {
  while (size > 0) {
    if (out->used == BYTES_BLOCK) unfi_bytes_flush(out);
    uint32_t part = BYTES_BLOCK - out->used;
    if (part > size) part = size;
    memcpy(out->block + BYTES_HEAD + out->used, bytes, part);
    out->used += part;
    bytes += part;
    size -= part;
  }
}

void unfi_bytes_put_signed(struct bytes_out *out, int64_t number) {
  uint64_t twice = (uint64_t)number << 1;
  unfi_bytes_put(out, number < 0 ? ~twice : twice);
}

void unfi_bytes_put_double(struct bytes_out *out, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  unfi_bytes_put(out, bits);
}

void unfi_bytes_put_text(struct bytes_out *out, const char *text) {
  size_t length = strlen(text);
  unfi_bytes_put(out, length);
  for (size_t i = 0; i < length; i++) {
    uint8_t *to = bytes_room(out, 1);
    *to = (uint8_t)text[i];
    bytes_end(out, to + 1);
  }
}

/* ---- reading ---- */

bool unfi_bytes_open(struct bytes_in *in, unf_context *context, unf_read read, void *user) {
  *in = (struct bytes_in){.context = context, .read = read, .user = user, .sum = FIRST_SUM};
  in->block = unfi_reallocate(context, NULL, 0, BYTES_BLOCK);
  return in->block != NULL;
}

void unfi_bytes_open_again(struct bytes_in *in, unf_read read, void *user) {
  *in = (struct bytes_in){
      .context = in->context, .read = read, .user = user, .sum = FIRST_SUM, .block = in->block};
}

void unfi_bytes_close(struct bytes_in *in) {
  unfi_reallocate(in->context, in->block, BYTES_BLOCK, 0);
}

unf_status unfi_bytes_note(struct bytes_in *in, unf_status status) {
  if (in->status != UNF_OK) return in->status;
  in->status = status;
  if (status != UNF_OK) in->size = in->at;
  return status;
}

/* What is wrong at a byte, from 0. */
static unf_status fail_at(struct bytes_in *in, unf_status status, uint64_t place,
                          const char *what) {
  char line[48];
  struct text text = unfi_text(line, sizeof line);
  if (in->status != UNF_OK) return in->status;
  unfi_text_add(&text, "byte ");
  unfi_text_u64(&text, place);
  unfi_text_add(&text, ": ");
  unfi_bytes_note(in, unfi_fail(in->context, status, line, what));
  in->context->detail.place = place;
  return in->status;
}

unf_status unfi_bytes_malformed(struct bytes_in *in, const char *what) {
  return fail_at(in, UNF_FORMAT, in->before + BYTES_HEAD + in->at, what);
}

void unfi_bytes_raw_in(struct bytes_in *in, void *bytes, size_t size) {
  uint8_t *to = bytes;
  size_t got = 0;
  for (size_t left = size; in->status == UNF_OK && left > 0; left -= got, to += got) {
    got = 0;
    if (!in->read(in->user, to, left, &got) || got > left)
      unfi_bytes_note(in, unfi_fail(in->context, UNF_READ, NULL));
    else if (got == 0)
      fail_at(in, UNF_CHECKSUM, in->before + size - left, "the input ends here");
  }
  if (in->status != UNF_OK) memset(bytes, 0, size);
}

static void next_block(struct bytes_in *in) {
  uint8_t head[BYTES_HEAD];
  if (in->size > 0) in->before += BYTES_HEAD + in->size;
  in->size = in->at = 0;
  unfi_bytes_raw_in(in, head, BYTES_HEAD);
  uint64_t size = load(head, LENGTH), sum = load(head + LENGTH, sizeof sum);
  if (size > BYTES_BLOCK) fail_at(in, UNF_CHECKSUM, in->before, "the length of a block");
  if (in->status != UNF_OK) return;
  in->before += BYTES_HEAD;
  unfi_bytes_raw_in(in, in->block, size);
  in->before -= BYTES_HEAD;
  if (in->status != UNF_OK) return;
  in->sum = sum_of(in->sum, in->block, (uint32_t)size);
  if (in->sum != sum) {
    fail_at(in, UNF_CHECKSUM, in->before, "from here to the end of the block");
    return;
  }
  in->size = (uint32_t)size;
  in->ended = size == 0;
}

static inline uint8_t get_byte(struct bytes_in *in) {
  if (in->at == in->size && in->status == UNF_OK) {
    if (!in->ended) next_block(in);
    if (in->ended) unfi_bytes_malformed(in, "more was expected");
  }
  return in->status == UNF_OK ? in->block[in->at++] : 0;
}

uint64_t unfi_bytes_get_long(struct bytes_in *in) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = get_byte(in);
    if (shift == 63 && byte > 1) break;
    number |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return number;
  }
  unfi_bytes_malformed(in, "a number of more than 64 bits");
  return 0;
}

uint32_t unfi_bytes_get_below_long(struct bytes_in *in, uint64_t bound, const char *what) {
  uint64_t number = unfi_bytes_get(in);
  if (in->status == UNF_OK && number >= bound) unfi_bytes_malformed(in, what);
  return in->status == UNF_OK ? (uint32_t)number : 0;
}

int64_t unfi_bytes_get_signed(struct bytes_in *in) {
  uint64_t twice = unfi_bytes_get(in);
  return (int64_t)(twice >> 1 ^ (0 - (twice & 1)));
}

double unfi_bytes_get_double(struct bytes_in *in) {
  uint64_t bits = unfi_bytes_get(in);
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

bool unfi_bytes_get_same(struct bytes_in *in, const char *text) {
  uint64_t length = unfi_bytes_get(in);
  bool same = length == strlen(text);
  for (uint64_t i = 0; i < length && in->status == UNF_OK; i++) {
    uint8_t byte = get_byte(in);
    same = same && byte == (uint8_t)text[i];
  }
  return same;
}

void unfi_bytes_finish(struct bytes_in *in) {
  if (in->status == UNF_OK && in->at < in->size) unfi_bytes_malformed(in, "nothing was expected");
  if (in->status == UNF_OK && !in->ended) next_block(in);
  if (in->status == UNF_OK && !in->ended) unfi_bytes_malformed(in, "nothing was expected");
}
