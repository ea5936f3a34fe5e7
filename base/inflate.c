#include "base/inflate.h"

#include <limits.h>
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

bool weft_inflate_raw(const uint8_t *stored, size_t stored_length, uint8_t *raw, size_t raw_length,
                      enum weft_error_code damaged, struct weft_error *error) {
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)stored, .next_out = raw};
    if (stored_length > UINT_MAX || raw_length > UINT_MAX) {
        return weft_fail(error, damaged, 0, "compressed data of 4 GB and more is not read");
    }
    stream.avail_in = (uInt)stored_length;
    stream.avail_out = (uInt)raw_length;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return weft_no_memory(error, "inflating");
    }
    int status = inflate(&stream, Z_FINISH);
    bool whole = status == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    if (status == Z_MEM_ERROR) {
        return weft_no_memory(error, "inflating");
    }
    return whole || weft_fail(error, damaged, 0, "the compressed data is damaged");
}
