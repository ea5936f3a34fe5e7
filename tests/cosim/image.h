/* All memory of a machine with what a case begins with: random bytes, rich in corners. */
#ifndef WEFT_TESTS_COSIM_IMAGE_H
#define WEFT_TESTS_COSIM_IMAGE_H

#include "sim/exec/exec.h"
#include "tests/cosim/case.h"

struct image {
    struct weft_state state;
};

bool image_create(const struct weft_config *config, struct image *image, struct weft_error *error);
void image_free(struct image *image);

/* Sets all on-chip memories, makes the regions and sets them: the program in region 0, random bytes
 * behind it and in the others. Depends on the case alone. */
bool image_fill(struct image *image, const struct cosim_case *test, struct weft_error *error);

/* Makes `to` the same as `from`. */
bool image_copy(struct image *to, const struct image *from, struct weft_error *error);

/* True when all memories and regions hold the same bytes; else says in `text` where they differ
 * first. */
bool image_same(const struct image *a, const struct image *b, struct weft_text *text);

#endif
