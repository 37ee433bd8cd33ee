/* How long texts in the block are. */
#ifndef NATIVE_CONTROL_TEXTS_H
#define NATIVE_CONTROL_TEXTS_H

enum { NAME_SIZE = 64, TEXT_SIZE = 512 };

#endif
