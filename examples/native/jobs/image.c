/* Pieces of two blocks. Most of a block is empty, and most of what is not stays as it is. */
#include "image.h"

#include <string.h>

#include "../control.h"
#include "state.h"

/* Of a page that differs those words are written which do. */
enum { PAGE_SIZE = 4096, WORDS = 64 };

/* What a piece is of. */
enum part { PART_LEVELS, PART_KNOWN, PART_SUM_KNOWN, PART_SUM_SEEN };
struct image_piece {
  uint32_t part, at, size;
};

/* All is to be written. False: no memory. */
static bool begin_image(struct journal_image *image) {
  image_free(image);
  image->known = state_new();
  image->sum = state_new();
  return image->known != NULL && image->sum != NULL;
}

void image_free(struct journal_image *image) {
  state_free(image->known);
  state_free(image->sum);
  *image = (struct journal_image){NULL, NULL};
}

/* ---- writing ---- */

static bool put_piece(struct wire *to, struct image_piece piece, const char *bytes) {
  return wire_append(to, (const char *)&piece, sizeof piece) && wire_append(to, bytes, piece.size);
}

/* Of a page. */
static bool put_words(struct wire *to, struct image_piece page, const char *now,
                      const char *before) {
  bool good = true;
  for (uint32_t from = 0, end; from < page.size && good; from = end) {
    end = from;
    for (uint32_t size; end < page.size; end += size) {
      size = page.size - end < WORDS ? page.size - end : WORDS;
      if (memcmp(now + end, before + end, size) == 0) break;
    }
    if (end > from)
      good = put_piece(to, (struct image_piece){page.part, page.at + from, end - from}, now + from);
    else
      end = page.size - from < WORDS ? page.size : from + WORDS;
  }
  return good;
}

/* A part, and the block that it is of. */
struct image_part {
  struct control *block;
  struct state_part part;
};

static bool put_part(struct wire *to, enum part part, const struct image_part *is,
                     const struct image_part *was) {
  const struct state_part *now = &is->part, *before = &was->part;
  const size_t size = (size_t)(now->to - now->from);
  for (size_t at = 0; at < size; at += PAGE_SIZE) {
    const size_t some = size - at < PAGE_SIZE ? size - at : PAGE_SIZE;
    const struct image_piece page = {(uint32_t)part, (uint32_t)at, (uint32_t)some};
    if (state_is_unused(is->block, now->from + at, some) &&
        state_is_unused(was->block, before->from + at, some))
      continue;
    if (memcmp(now->from + at, before->from + at, some) == 0) continue;
    if (!put_words(to, page, now->from + at, before->from + at)) return false;
    memcpy(before->from + at, now->from + at, some);
  }
  return true;
}

/* What reports have the news of is as it was written. */
static void leave_reported(struct control *now, const struct control *before) {
  const uint64_t races =
      now->races_found > before->races_found ? now->races_found : before->races_found;
  const uint32_t findings =
      now->finding_count > before->finding_count ? now->finding_count : before->finding_count;
  memcpy(now->findings, before->findings, findings * sizeof now->findings[0]);
  memcpy(now->races, before->races, (races < RACES_MAX ? races : RACES_MAX) * sizeof now->races[0]);
  now->finding_count = before->finding_count;
  now->findings_total = before->findings_total;
  now->livelocks = before->livelocks;
  now->left_behind = before->left_behind;
  now->given_up = before->given_up;
  now->races_found = before->races_found;
}

static bool put_levels(struct wire *to, const struct settings *s) {
#define LEVEL(field) s->field,
  const bool levels[] = {SETTINGS_LEVELS(LEVEL)};
#undef LEVEL
  return put_piece(to, (struct image_piece){PART_LEVELS, 0, sizeof levels}, (const char *)levels);
}

static struct image_part part_of(struct control *block, int number) {
  struct state_part parts[STATE_PARTS];
  state_parts(block, parts);
  return (struct image_part){block, parts[number]};
}

bool image_put(struct journal_image *image, struct control *known, struct control *sum, bool whole,
               struct wire *to) {
  if (whole && !(begin_image(image) && put_levels(to, &known->settings))) return false;
  if (!whole) leave_reported(sum, image->sum);
  const struct image_part now[] = {part_of(known, 0), part_of(sum, 0), part_of(sum, 1)};
  const struct image_part written[] = {part_of(image->known, 0), part_of(image->sum, 0),
                                       part_of(image->sum, 1)};
  return put_part(to, PART_KNOWN, &now[0], &written[0]) &&
         put_part(to, PART_SUM_KNOWN, &now[1], &written[1]) &&
         put_part(to, PART_SUM_SEEN, &now[2], &written[2]);
}

/* ---- reading ---- */

static bool get_levels(struct settings *s, const struct image_piece *piece, const char *bytes) {
  const char *at = bytes;
#define LEVEL(field) +1
  if (piece->at != 0 || piece->size != SETTINGS_LEVELS(LEVEL)) return false;
#undef LEVEL
#define LEVEL(field) s->field = *at++ != 0;
  SETTINGS_LEVELS(LEVEL)
#undef LEVEL
  return true;
}

static bool get_piece(struct control *known, struct control *sum, const struct image_piece *piece,
                      const char *bytes) {
  struct state_part parts[STATE_PARTS];
  if (piece->part == PART_LEVELS) return get_levels(&known->settings, piece, bytes);
  if (piece->part > PART_SUM_SEEN) return false;
  state_parts(piece->part == PART_KNOWN ? known : sum, parts);
  const struct state_part *part = &parts[piece->part == PART_SUM_SEEN];
  const size_t room = (size_t)(part->to - part->from);
  if (piece->at > room || piece->size > room - piece->at) return false;
  memcpy(part->from + piece->at, bytes, piece->size);
  return true;
}

bool image_get(struct control *known, struct control *sum, const char *bytes, size_t size) {
  struct image_piece piece;
  for (size_t at = 0; at < size; at += piece.size) {
    if (size - at < sizeof piece) return false;
    memcpy(&piece, bytes + at, sizeof piece);
    at += sizeof piece;
    if (piece.size > size - at || !get_piece(known, sum, &piece, bytes + at)) return false;
  }
  return true;
}
