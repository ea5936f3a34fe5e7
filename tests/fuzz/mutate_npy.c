/* .npy files: the text of the header is mutated, and its length fits. */
#include <string.h>

#include "tests/fuzz/mutate.h"

enum {
    LENGTH = 8, /* where the length of the header stands, two bytes */
    TEXT = 10,
    LONGEST = UINT16_MAX
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    size_t length = size < TEXT ? 0 : data[LENGTH] | (size_t)data[LENGTH + 1] << 8;
    if (mutate_random(&seed, 8) == 0 || size < TEXT || length > size - TEXT || data[6] != 1) {
        return LLVMFuzzerMutate(data, size, most);
    }
    struct weft_text text = {0};
    struct weft_text file = {0};
    bool header = mutate_random(&seed, 4) != 0;
    uint8_t start[TEXT];
    memcpy(start, data, sizeof start);
    if (header) {
        mutate_bytes(data + TEXT, length, &text);
    } else {
        weft_text_add_bytes(&text, (const char *)data + TEXT, length);
    }
    start[LENGTH] = (uint8_t)text.length;
    start[LENGTH + 1] = (uint8_t)(text.length >> 8);
    weft_text_add_bytes(&file, (const char *)start, sizeof start);
    weft_text_add_bytes(&file, text.bytes == NULL ? "" : text.bytes, text.length);
    if (header) {
        weft_text_add_bytes(&file, (const char *)data + TEXT + length, size - TEXT - length);
    } else {
        mutate_bytes(data + TEXT + length, size - TEXT - length, &file);
    }
    bool good = text.length <= LONGEST && !text.failed;
    weft_text_free(&text);
    return mutate_finish(&file, good, data, size, most);
}
