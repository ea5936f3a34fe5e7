/* What the tests of .weft files share: files taken apart and put together. */
#ifndef WEFT_TESTS_UNIT_CONTAINERS_H
#define WEFT_TESTS_UNIT_CONTAINERS_H

#include "tests/unit/modules.h"

/* The format, as the tests know it. */
enum {
    HEADER = 24,
    ENTRY = 32,
    SECTIONS = 8,
    TABLE_END = HEADER + SECTIONS * ENTRY,
    CONTAINER_VERSION = 9,
};
enum section {
    CONF,
    GRPH,
    BLOB,
    PROG,
    CNST,
    NAME,
    DECS,
    EXTN
};

struct file {
    uint8_t *bytes;
    size_t length;
};

/* The sections of a file as they are before zlib, and what the header says. */
struct parts {
    uint8_t *raw[SECTIONS];
    size_t length[SECTIONS];
    uint64_t fingerprint;
};

/* The digits network for a configuration; `bytes` is freed by the caller. */
struct file digits_file(const char *config);

/* Each section has room for 64 bytes more. Released with free_parts(). */
struct parts take_apart(const struct file *file);
void free_parts(struct parts *parts);

/* With good checksums, whatever the sections hold; `bytes` is freed by the caller. */
struct file put_together(const struct parts *parts);

/* A section's first text `old` becomes another one, which is at most 60 bytes longer. */
void replace(struct parts *parts, enum section section, const char *old, const char *replacement);

/* Reads a file, or fails the test. */
struct weft_module *read_file(const struct file *file);

/* What reading it ends with. */
enum weft_error_code code_of(const struct file *file);

/* The parts, put together, must be refused with `expected`, or taken, with WEFT_OK; the parts are
 * freed. */
void assert_parts(struct parts *parts, enum weft_error_code expected);

/* The digits network for ref16, between these two, which are for a group of tests. */
extern struct file good;
int open_good(void **state);
int close_good(void **state);

#endif
