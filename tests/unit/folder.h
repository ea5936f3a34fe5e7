/* A folder for the files of one test. */
#ifndef WEFT_TESTS_UNIT_FOLDER_H
#define WEFT_TESTS_UNIT_FOLDER_H

#include <stddef.h>
#include <stdint.h>

struct folder {
    char path[64];
};

/* A new, empty folder; folder_free() removes it with the files in it. */
struct folder folder_new(void);
void folder_free(struct folder *folder);

/* The path of a file in the folder; valid until the next call but three. */
const char *folder_file(const struct folder *folder, const char *name);

/* Writes a file with plain C, whatever the code under test does. */
const char *folder_write(const struct folder *folder, const char *name, const void *bytes,
                         size_t length);

/* Asserts that the folder holds `count` files, and that `name` holds exactly these bytes. */
void assert_folder_count(const struct folder *folder, size_t count);
void assert_file_holds(const char *path, const void *bytes, size_t length);

#endif
