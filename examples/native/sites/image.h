/* A module in its file. Nothing that the file says about itself is believed: what does not lie
 * within it is not there. */
#ifndef NATIVE_SITES_IMAGE_H
#define NATIVE_SITES_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
  const unsigned char *bytes;
  uint64_t size;
  Elf64_Ehdr head;
};

/* Code of the module, at virtual addresses. */
struct span {
  uint64_t low, high;
};

bool image_open(struct image *image, const char *path);
void image_close(struct image *image);
/* Memory of the module as it is in the file. *room: how many bytes there are; NULL: none. */
const unsigned char *image_at(const struct image *image, uint64_t address, bool code,
                              uint64_t *room);
/* A section, if the file still has a table of them. */
bool image_section(const struct image *image, const char *name, Elf64_Shdr *section);
/* The i-th part of the module that holds code; false: there are no more. By its sections where they
 * are known, since its segments have other things too. */
bool image_code(const struct image *image, uint32_t *position, struct span *span);
/* Where the descriptions of functions for the unwinder begin and end. */
bool image_frames(const struct image *image, struct span *span);
/* What the dynamic linker adds to the module's address and writes there; 0: nothing. */
uint64_t image_relative(const struct image *image, uint64_t address);
/* What is said to the dynamic linker under a tag; 0: nothing. */
uint64_t image_dynamic(const struct image *image, int64_t tag);
/* The next symbol of any table; false: there are no more. Both positions begin at 0. */
bool image_symbol(const struct image *image, uint32_t *table, uint64_t *position,
                  Elf64_Sym *symbol);

/* The variable that covers an address, by the table of symbols or else by that of the dynamic
 * linker: its name, cut to the size, and where it begins. Of several the first by name. False: none
 * is known. */
bool image_variable(const struct image *image, uint64_t address, char *name, size_t size,
                    uint64_t *from);

/* Whether nothing is ever written there once the program has begun. */
bool image_constant(const struct image *image, uint64_t address);

uint64_t bytes_number(const unsigned char *bytes, unsigned size);

#endif
