#include "tests/unit/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/test.h"

struct folder folder_new(void) {
    struct folder folder;
    (void)snprintf(folder.path, sizeof folder.path, "/tmp/weft_test_XXXXXX");
    assert_non_null(mkdtemp(folder.path));
    return folder;
}

const char *folder_file(const struct folder *folder, const char *name) {
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
    return path;
}

/* The number of files; removes them when asked to. */
static size_t list(const struct folder *folder, bool removes) {
    DIR *directory = opendir(folder->path);
    assert_non_null(directory);
    size_t count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        count++;
        if (removes) {
            assert_int_equal(remove(folder_file(folder, entry->d_name)), 0);
        }
    }
    closedir(directory);
    return count;
}

void folder_free(struct folder *folder) {
    (void)list(folder, true);
    assert_int_equal(rmdir(folder->path), 0);
}

const char *folder_write(const struct folder *folder, const char *name, const void *bytes,
                         size_t length) {
    const char *path = folder_file(folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    return path;
}

void assert_folder_count(const struct folder *folder, size_t count) {
    assert_int_equal(list(folder, false), count);
}

void assert_file_holds(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *got = malloc(length + 2);
    assert_non_null(got);
    assert_int_equal(fread(got, 1, length + 1, file), length);
    assert_memory_equal(got, bytes, length);
    free(got);
    fclose(file);
}
