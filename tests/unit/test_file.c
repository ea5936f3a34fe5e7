/* base/file: whole files, read at once and written whole or not at all. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/folder.h"

/* ---- reading ---- */

static void assert_unreadable(const char *path, enum weft_error_code code, const char *message) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 77;
    ASSERT_FAILS(weft_file_read(path, &bytes, &length, &error), error, code);
    assert_string_equal(error.message, message);
    assert_null(bytes);
    assert_int_equal(length, 77);
}

static void files_end_in_a_nul_that_does_not_count(void **state) {
    (void)state;
    static const char content[] = {'a', 0, 'b', '\n'};
    struct folder folder = folder_new();
    struct weft_error error;
    for (size_t size = 0; size <= sizeof content; size++) {
        uint8_t *bytes = NULL;
        size_t length = 77;
        const char *path = folder_write(&folder, "x", content, size);
        ASSERT_GOOD(weft_file_read(path, &bytes, &length, &error), error);
        assert_int_equal(length, size);
        assert_memory_equal(bytes, content, size);
        assert_int_equal(bytes[size], 0);
        free(bytes);
    }
    folder_free(&folder);
}

static void only_regular_files_are_read(void **state) {
    (void)state;
    struct folder folder = folder_new();
    assert_unreadable(folder_file(&folder, "missing"), WEFT_IO, "No such file or directory");
    assert_unreadable(folder.path, WEFT_IO, "not a regular file");
    assert_unreadable("/dev/zero", WEFT_IO, "not a regular file");
    /* A pipe that nobody writes to must not stop the program. */
    assert_int_equal(mkfifo(folder_file(&folder, "pipe"), 0600), 0);
    assert_unreadable(folder_file(&folder, "pipe"), WEFT_IO, "not a regular file");
    folder_free(&folder);
}

static void files_over_the_limit_are_refused_unread(void **state) {
    (void)state;
    struct folder folder = folder_new();
    const char *path = folder_write(&folder, "large", "", 0);
    assert_int_equal(truncate(path, (off_t)WEFT_FILE_LIMIT + 1), 0);
    assert_unreadable(path, WEFT_LIMIT, "file has 2147483649 bytes, at most 2147483648 are read");
    folder_free(&folder);
}

/* ---- writing ---- */

static void a_written_file_replaces_the_old_one(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    const char *path = folder_file(&folder, "x");
    ASSERT_GOOD(weft_file_write(path, "a long text", 11, &error), error);
    assert_file_holds(path, "a long text", 11);
    ASSERT_GOOD(weft_file_write(path, "short", 5, &error), error);
    assert_file_holds(path, "short", 5);
    ASSERT_GOOD(weft_file_write(path, NULL, 0, &error), error);
    assert_file_holds(path, "", 0);
    assert_folder_count(&folder, 1);
    folder_free(&folder);
}

static void what_cannot_be_written_leaves_nothing(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    const char *inside = folder_write(&folder, "file", "old", 3);
    char below[600];
    (void)snprintf(below, sizeof below, "%s/x", inside);
    ASSERT_FAILS(weft_file_write(below, "a", 1, &error), error, WEFT_IO);
    assert_string_equal(error.message, "could not be written: Not a directory");
    ASSERT_FAILS(weft_file_write(folder.path, "a", 1, &error), error, WEFT_IO);
    assert_string_equal(error.message, "could not be written: Is a directory");
    (void)snprintf(below, sizeof below, "%s/missing/x", folder.path);
    ASSERT_FAILS(weft_file_write(below, "a", 1, &error), error, WEFT_IO);
    assert_string_equal(error.message, "could not be written: No such file or directory");
    ASSERT_FAILS(weft_file_write("", "a", 1, &error), error, WEFT_IO);
    assert_folder_count(&folder, 1);
    assert_file_holds(inside, "old", 3);
    folder_free(&folder);
}

/* ---- content that is written piece by piece ---- */

static bool count_up(void *context, FILE *file, struct weft_error *error) {
    const int *most = context;
    for (int i = 0; i < *most; i++) {
        fprintf(file, "%d\n", i);
    }
    return *most < 1000 || weft_fail(error, WEFT_STATE, 0, "too many");
}

static void content_is_written_whole_or_not_at_all(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    int few = 3;
    int many = 100000;
    const char *path = folder_write(&folder, "x", "old", 3);
    ASSERT_FAILS(weft_file_write_content(path, count_up, &many, &error), error, WEFT_STATE);
    assert_file_holds(path, "old", 3);
    ASSERT_GOOD(weft_file_write_content(path, count_up, &few, &error), error);
    assert_file_holds(path, "0\n1\n2\n", 6);
    assert_folder_count(&folder, 1);
    ASSERT_FAILS(weft_file_write_content("/dev/full", count_up, &few, &error), error, WEFT_IO);
    assert_string_equal(error.message, "could not be written: No space left on device");
    ASSERT_FAILS(weft_file_write_content(folder.path, count_up, &few, &error), error, WEFT_IO);
    folder_free(&folder);
}

static void links_keep_their_place(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct stat status;
    const char *target = folder_write(&folder, "target", "old", 3);
    const char *link = folder_file(&folder, "link");
    assert_int_equal(symlink("target", link), 0);
    ASSERT_GOOD(weft_file_write(link, "new", 3, &error), error);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_file_holds(target, "new", 3);
    assert_folder_count(&folder, 2);
    folder_free(&folder);
}

static void links_to_nothing_are_followed(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct stat status;
    const char *link = folder_file(&folder, "link");
    assert_int_equal(symlink("target", link), 0);
    ASSERT_GOOD(weft_file_write(link, "new", 3, &error), error);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_file_holds(folder_file(&folder, "target"), "new", 3);
    assert_folder_count(&folder, 2);
    folder_free(&folder);
}

static void who_may_read_a_file_stays(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct stat status;
    const char *path = folder_write(&folder, "private", "old", 3);
    assert_int_equal(chmod(path, 0600), 0);
    ASSERT_GOOD(weft_file_write(path, "new", 3, &error), error);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    folder_free(&folder);
}

static void long_names_can_be_written(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    char name[NAME_MAX + 1];
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    const char *path = folder_file(&folder, name);
    ASSERT_GOOD(weft_file_write(path, "new", 3, &error), error);
    assert_file_holds(path, "new", 3);
    assert_folder_count(&folder, 1);
    folder_free(&folder);
}

/* Neither is the other file written. */
static void a_file_without_a_name_is_refused_at_once(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_file_batch batch = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_file_stage(&batch, folder_file(&folder, "other"), "new", 3, &error), error);
    ASSERT_FAILS(weft_file_stage(&batch, "", "new", 3, &error), error, WEFT_IO);
    assert_string_equal(error.message, "the name of a file is empty");
    weft_file_discard(&batch);
    assert_folder_count(&folder, 0);
    folder_free(&folder);
}

static void devices_and_pipes_are_written_to(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct stat status;
    /* A link to it, so that a wrong answer does not harm the machine. */
    const char *link = folder_file(&folder, "null");
    assert_int_equal(symlink("/dev/null", link), 0);
    ASSERT_GOOD(weft_file_write(link, "new", 3, &error), error);
    assert_int_equal(stat(link, &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    const char *full = folder_file(&folder, "full");
    assert_int_equal(symlink("/dev/full", full), 0);
    ASSERT_FAILS(weft_file_write(full, "new", 3, &error), error, WEFT_IO);
    assert_string_equal(error.message, "could not be written: No space left on device");
    assert_folder_count(&folder, 2);
    folder_free(&folder);
}

/* ---- descriptors ---- */

static void descriptors_are_read_to_their_end(void **state) {
    (void)state;
    enum {
        LENGTH = 300000, /* more than a pipe, and a first buffer, holds */
        SKIPPED = 3
    };
    static uint8_t content[LENGTH];
    struct folder folder = folder_new();
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    int ends[2];
    for (size_t i = 0; i < LENGTH; i++) {
        content[i] = (uint8_t)(i * 31 + i / 256);
    }
    int file = open(folder_write(&folder, "a", content, LENGTH), O_RDONLY);
    assert_int_equal(lseek(file, SKIPPED, SEEK_SET), SKIPPED);
    ASSERT_GOOD(weft_descriptor_read(file, &bytes, &length, &error), error);
    assert_int_equal(length, LENGTH - SKIPPED);
    assert_memory_equal(bytes, content + SKIPPED, length);
    assert_int_equal(bytes[length], 0);
    free(bytes);
    ASSERT_GOOD(weft_descriptor_read(file, &bytes, &length, &error), error); /* it is still open */
    assert_int_equal(length, 0);
    free(bytes);
    assert_int_equal(close(file), 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], content, 1000), 1000);
    assert_int_equal(close(ends[1]), 0);
    ASSERT_GOOD(weft_descriptor_read(ends[0], &bytes, &length, &error), error);
    assert_int_equal(length, 1000);
    assert_memory_equal(bytes, content, length);
    free(bytes);
    assert_int_equal(close(ends[0]), 0);
    ASSERT_FAILS(weft_descriptor_read(ends[0], &bytes, &length, &error), error, WEFT_IO);
    assert_string_equal(error.message, "read failed: Bad file descriptor");
    folder_free(&folder);
}

static void descriptors_are_written_where_they_are(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct weft_file_bytes all = {"new", 3};
    const char *path = folder_write(&folder, "a", "0123456789", 10);
    int file = open(path, O_WRONLY);
    assert_int_equal(lseek(file, 4, SEEK_SET), 4);
    ASSERT_GOOD(weft_descriptor_write(file, weft_file_write_bytes, &all, &error), error);
    ASSERT_GOOD(weft_descriptor_write(file, weft_file_write_bytes, &all, &error), error);
    assert_int_equal(close(file), 0);
    assert_file_holds(path, "0123newnew", 10);
    ASSERT_FAILS(weft_descriptor_write(file, weft_file_write_bytes, &all, &error), error, WEFT_IO);
    assert_string_equal(error.message, "could not be written: Bad file descriptor");
    int full = open("/dev/full", O_WRONLY);
    ASSERT_FAILS(weft_descriptor_write(full, weft_file_write_bytes, &all, &error), error, WEFT_IO);
    assert_string_equal(error.message, "could not be written: No space left on device");
    assert_int_equal(close(full), 0);
    folder_free(&folder);
}

/* ---- batches ---- */

static void a_batch_is_written_at_its_commit(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *wrong = NULL;
    const char *old = folder_write(&folder, "old", "before", 6);
    const char *new = folder_file(&folder, "new");
    ASSERT_GOOD(weft_file_stage(&batch, old, "after", 5, &error), error);
    ASSERT_GOOD(weft_file_stage(&batch, new, "1", 1, &error), error);
    ASSERT_GOOD(weft_file_stage(&batch, new, "2", 1, &error), error);
    assert_file_holds(old, "before", 6);
    assert_int_equal(access(new, F_OK), -1);
    ASSERT_GOOD(weft_file_commit(&batch, &wrong, &error), error);
    assert_null(wrong);
    assert_file_holds(old, "after", 5);
    assert_file_holds(new, "2", 1);
    assert_folder_count(&folder, 2);
    assert_int_equal(batch.count, 0);
    ASSERT_GOOD(weft_file_commit(&batch, &wrong, &error), error);
    folder_free(&folder);
}

static void a_discarded_batch_leaves_nothing(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *old = folder_write(&folder, "old", "before", 6);
    ASSERT_GOOD(weft_file_stage(&batch, old, "after", 5, &error), error);
    ASSERT_GOOD(weft_file_stage(&batch, folder_file(&folder, "new"), "1", 1, &error), error);
    ASSERT_FAILS(weft_file_stage(&batch, folder_file(&folder, "missing/x"), "1", 1, &error), error,
                 WEFT_IO);
    assert_int_equal(batch.count, 2);
    weft_file_discard(&batch);
    assert_folder_count(&folder, 1);
    assert_file_holds(old, "before", 6);
    weft_file_discard(&batch);
    folder_free(&folder);
}

static void a_commit_names_the_file_in_the_way(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *wrong = NULL;
    const char *first = folder_file(&folder, "first");
    const char *second = folder_file(&folder, "second");
    ASSERT_GOOD(weft_file_stage(&batch, first, "1", 1, &error), error);
    ASSERT_GOOD(weft_file_stage(&batch, second, "2", 1, &error), error);
    assert_int_equal(mkdir(second, 0700), 0);
    ASSERT_FAILS(weft_file_commit(&batch, &wrong, &error), error, WEFT_IO);
    assert_ptr_equal(wrong, second);
    assert_file_holds(first, "1", 1);
    assert_folder_count(&folder, 2);
    folder_free(&folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_end_in_a_nul_that_does_not_count),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(files_over_the_limit_are_refused_unread),
        cmocka_unit_test(a_written_file_replaces_the_old_one),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing),
        cmocka_unit_test(content_is_written_whole_or_not_at_all),
        cmocka_unit_test(links_keep_their_place),
        cmocka_unit_test(links_to_nothing_are_followed),
        cmocka_unit_test(who_may_read_a_file_stays),
        cmocka_unit_test(long_names_can_be_written),
        cmocka_unit_test(a_file_without_a_name_is_refused_at_once),
        cmocka_unit_test(devices_and_pipes_are_written_to),
        cmocka_unit_test(descriptors_are_read_to_their_end),
        cmocka_unit_test(descriptors_are_written_where_they_are),
        cmocka_unit_test(a_batch_is_written_at_its_commit),
        cmocka_unit_test(a_discarded_batch_leaves_nothing),
        cmocka_unit_test(a_commit_names_the_file_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
