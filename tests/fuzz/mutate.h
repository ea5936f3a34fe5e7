/* What the structure-aware mutators (mutate_*.c) share. A mutator takes an input apart, gives a
 * part to libFuzzer's own mutations and puts the input together again with lengths and checksums
 * that fit, so that what is mutated gets past them. Now and then it mutates the input as it stands,
 * since readers must also see lengths and checksums that do not fit. */
#ifndef WEFT_TESTS_FUZZ_MUTATE_H
#define WEFT_TESTS_FUZZ_MUTATE_H

#include <stdint.h>

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* libFuzzer's: mutates `size` bytes in place, to at most `most`; the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* The mutator of a fuzzer, which libFuzzer calls: as LLVMFuzzerMutate(), with a seed. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Below `count`, which is not 0. */
uint32_t mutate_random(unsigned *seed, uint32_t count);

/* Appends mutated bytes. */
void mutate_bytes(const uint8_t *bytes, size_t length, struct weft_text *out);

/* What a zlib stream holds, if that is whole and not too large. Release with weft_text_free(). */
bool mutate_inflate(const uint8_t *stored, size_t length, struct weft_text *out);

/* Appends bytes as a zlib stream. */
bool mutate_deflate(const char *bytes, size_t length, struct weft_text *out);

/* What a mutator ends with: an input that fits takes the place of the old one, for all others bytes
 * of the old one are mutated. Releases `made`. */
size_t mutate_finish(struct weft_text *made, bool good, uint8_t *data, size_t size, size_t most);

#ifdef __cplusplus
}
#endif
#endif
