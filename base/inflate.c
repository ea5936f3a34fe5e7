#include "base/inflate.h"

#include <zlib.h>

#include "base/memory.h"

bool weft_inflate(const uint8_t *stored, size_t stored_length, uint8_t *raw, size_t raw_length,
                  enum weft_error_code damaged, struct weft_error *error) {
    uLongf got = (uLongf)raw_length;
    uLong used = (uLong)stored_length;
    int status = uncompress2(raw, &got, stored, &used);
    if (status == Z_MEM_ERROR) {
        return weft_no_memory(error, "inflating");
    }
    return (status == Z_OK && got == raw_length && used == stored_length) ||
           weft_fail(error, damaged, 0, "the compressed data is damaged");
}
