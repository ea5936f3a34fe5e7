/* The instruction trace as a file: docs/trace.md describes the format. */
#ifndef WEFT_SIM_TRACE_RAW_H
#define WEFT_SIM_TRACE_RAW_H

#include "sim/trace/trace.h"

/* The most bytes of a trace before it is deflated. */
#define WEFT_TRACE_LIMIT ((size_t)1 << 27)

/* The traces of a model's segments, all on one configuration. */
struct weft_trace_file {
    struct weft_trace *segments; /* owned */
    size_t count;
};

/* The bytes of a file; *bytes is freed by the caller. Errors: WEFT_LIMIT, WEFT_ENCODING (an
 * instruction that does not encode), WEFT_OUT_OF_MEMORY. */
bool weft_trace_write(const struct weft_config *config, const struct weft_trace_file *file,
                      uint8_t **bytes, size_t *length, struct weft_error *error);

/* Reads a file, in at most `memory_limit` bytes of memory (0: WEFT_MEMORY_LIMIT); nothing in it is
 * trusted. Release *file with weft_trace_file_free(). Errors:
 * WEFT_TRACE (position = byte of the file, or of what was deflated; the message says which),
 * WEFT_CONFIG, WEFT_FINGERPRINT, WEFT_ENCODING, WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool weft_trace_read(const uint8_t *bytes, size_t length, uint64_t memory_limit,
                     struct weft_config *config, struct weft_trace_file *file,
                     struct weft_error *error);

void weft_trace_file_free(struct weft_trace_file *file);

/* Appends a trace as text, event after event in the order of cycles. Errors: WEFT_OUT_OF_MEMORY. */
bool weft_trace_print(const struct weft_trace *trace, struct weft_text *text,
                      struct weft_error *error);

#endif
