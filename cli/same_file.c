#include "cli/same_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/streams.h"

/* ---- what is named ---- */

struct named {
    const char *option; /* its name; NULL: the operand */
    const char *value;
    const char *path; /* in the value */
    enum value_kind kind;
};

enum {
    MOST_NAMED = MOST_VALUES + 2,
    MOST_WRONG = 500 /* characters of what is wrong with two */
};

static bool is_written(enum value_kind kind) {
    return kind == VALUE_FILE_OUT || kind == VALUE_MEMORY_OUT || kind == VALUE_PLAIN_FILE_OUT ||
           kind == VALUE_FOLDER_OUT;
}

/* What is built in is no file, whatever files there are. */
static bool is_file(enum value_kind kind, const char *value) {
    return is_written(kind) || kind == VALUE_FILE_IN || kind == VALUE_PLAIN_FILE_IN ||
           kind == VALUE_SAMPLES_IN || kind == VALUE_TENSOR_IN || kind == VALUE_REGION_IN ||
           (value_is_named(kind) && !is_builtin(kind, value));
}

static size_t list_files(const struct given *given, struct named *files) {
    size_t count = 0;
    if (given->operand != NULL) {
        files[count++] = (struct named){NULL, given->operand, given->operand, VALUE_FILE_IN};
    }
    if (given->second != NULL) {
        files[count++] = (struct named){NULL, given->second, given->second, VALUE_FILE_IN};
    }
    for (int id = 0; id < OPTIONS; id++) {
        const char *const *values = given_values(given, (enum option_id)id);
        for (size_t i = 0; i < given_count(given, (enum option_id)id); i++) {
            enum value_kind kind = option_list[id].kind;
            const char *path = value_file(kind, values[i]);
            if (path != NULL && is_file(kind, path)) {
                files[count++] = (struct named){option_list[id].name, values[i], path, kind};
            }
        }
    }
    return count;
}

/* ---- which file that is ---- */

/* A file that is there, or the place where it would be: a folder, and a name in it. */
struct place {
    bool known;
    bool is_ordinary; /* a file or folder, or nothing yet; no device or pipe */
    dev_t device;
    ino_t number;
    char name[NAME_MAX + 1]; /* "" of what is there */
};

/* Splits "folder/name" or "folder/name/"; the folder is "." where there is none. */
static bool split(const char *path, char folder[PATH_MAX], char name[NAME_MAX + 1]) {
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    if (start >= PATH_MAX || end - start > NAME_MAX) {
        return false;
    }
    (void)snprintf(folder, PATH_MAX, "%.*s", start == 0 ? 1 : (int)start, start == 0 ? "." : path);
    (void)snprintf(name, NAME_MAX + 1, "%.*s", (int)(end - start), path + start);
    return true;
}

static bool is_standard(const struct named *file) {
    return is_stream(file->path) && file->kind != VALUE_PLAIN_FILE_OUT &&
           file->kind != VALUE_PLAIN_FILE_IN && file->kind != VALUE_SAMPLES_IN &&
           file->kind != VALUE_FOLDER_OUT && !value_is_named(file->kind);
}

static struct place place_of(const struct named *file) {
    char folder[PATH_MAX];
    struct place place = {.known = true, .is_ordinary = true};
    struct stat status;
    int standard = is_written(file->kind) ? STDOUT_FILENO : STDIN_FILENO;
    if ((is_standard(file) ? fstat(standard, &status) : stat(file->path, &status)) == 0) {
        place.is_ordinary = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
    } else {
        /* What cannot be reached is an error of reading or writing it. */
        place.known = !is_standard(file) && split(file->path, folder, place.name) &&
                      stat(folder, &status) == 0;
    }
    if (place.known) {
        place.device = status.st_dev;
        place.number = status.st_ino;
    }
    return place;
}

static bool same_place(const struct place *a, const struct place *b) {
    return a->known && b->known && a->is_ordinary && b->is_ordinary && a->device == b->device &&
           a->number == b->number && strcmp(a->name, b->name) == 0;
}

bool is_same_file(const char *a, const char *b) {
    const struct named one = {NULL, a, a, VALUE_PLAIN_FILE_IN};
    const struct named other = {NULL, b, b, VALUE_PLAIN_FILE_IN};
    const struct place place_a = place_of(&one);
    const struct place place_b = place_of(&other);
    return same_place(&place_a, &place_b);
}

/* Can it be one of the files NUMBER.npy in a folder that is written, or a sample in one that is
 * read? */
static bool can_be_in(const struct named *file, const struct named *folder) {
    char parent[PATH_MAX];
    char name[NAME_MAX + 1];
    bool is_data = folder->kind == VALUE_SAMPLES_IN;
    if ((folder->kind != VALUE_FOLDER_OUT && !is_data) || !split(file->path, parent, name)) {
        return false;
    }
    const char *dot = strrchr(name, '.');
    bool is_sample = is_image(name) || (dot != NULL && strcmp(dot, ".npy") == 0);
    size_t digits = strspn(name, "0123456789");
    const struct named above = {NULL, parent, parent, VALUE_FOLDER_OUT};
    const struct place a = place_of(&above);
    const struct place b = place_of(folder);
    return (is_data ? is_sample : digits > 0 && strcmp(name + digits, ".npy") == 0) &&
           same_place(&a, &b);
}

/* ---- what is wrong ---- */

static void describe(const struct named *file, char *text, size_t size) {
    (void)snprintf(text, size, "%s%s%s%.150s", file->option == NULL ? "" : "--",
                   file->option == NULL ? "" : file->option, file->option == NULL ? "" : " ",
                   file->value);
}

/* What is wrong with two files, of which the first is written: "A is also B". False after that. */
static bool check_pair(const struct named *a, const struct named *b, char *text, size_t size) {
    const struct place place_a = place_of(a);
    const struct place place_b = place_of(b);
    bool twice = is_standard(a) && is_standard(b) && is_written(b->kind);
    bool same = twice || same_place(&place_a, &place_b);
    bool holds_b = !same && can_be_in(b, a);
    char first[200];
    char second[200];
    if (!same && !holds_b && !can_be_in(a, b)) {
        return true;
    }
    describe(holds_b ? b : a, first, sizeof first);
    describe(holds_b ? a : b, second, sizeof second);
    (void)snprintf(text, size, "%s %s %s", first, same ? "is also" : "can be a file of", second);
    return false;
}

static bool check_streams(const char *command, const struct named *files, size_t count) {
    size_t read = 0;
    for (size_t i = 0; i < count; i++) {
        read += is_standard(&files[i]) && !is_written(files[i].kind);
    }
    if (read > 1) {
        usage_error(command, "standard input can be read once");
    }
    return read <= 1;
}

/* What is read without a name is an error of reading it. */
static bool has_name(const char *command, const struct named *file) {
    bool is_plain = file->kind == VALUE_PLAIN_FILE_OUT;
    bool good =
        !is_written(file->kind) || (file->path[0] != '\0' && !(is_plain && is_stream(file->path)));
    if (!good) {
        usage_error(command, "--%s '%s': expected the name of a %s%s", file->option, file->path,
                    file->kind == VALUE_FOLDER_OUT ? "folder" : "file",
                    file->path[0] == '\0' ? "" : "; it cannot be standard output");
    }
    return good;
}

bool check_files(const struct given *given) {
    struct named files[MOST_NAMED];
    size_t count = list_files(given, files);
    const char *command = given->command->name;
    char wrong[MOST_WRONG];
    for (size_t i = 0; i < count; i++) {
        if (!has_name(command, &files[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            /* Of two that are written, once is enough. */
            bool is_pair = is_written(files[i].kind) && (k < i || !is_written(files[k].kind));
            if (is_pair && k != i && !check_pair(&files[i], &files[k], wrong, sizeof wrong)) {
                usage_error(command, "%s", wrong);
                return false;
            }
        }
    }
    return check_streams(command, files, count);
}

bool check_beside(const void *context, const char *path, struct weft_error *error) {
    const struct given *given = context;
    const struct named beside = {NULL, path, path, VALUE_PLAIN_FILE_IN};
    struct named files[MOST_NAMED];
    char wrong[MOST_WRONG];
    size_t count = list_files(given, files);
    for (size_t i = 0; i < count; i++) {
        if (is_written(files[i].kind) && !check_pair(&files[i], &beside, wrong, sizeof wrong)) {
            return weft_fail(error, WEFT_ARGUMENT, 0, "%s, which the model reads", wrong);
        }
    }
    return true;
}

bool writes_output(const struct given *given) {
    for (int id = 0; id < OPTIONS; id++) {
        const char *const *values = given_values(given, (enum option_id)id);
        for (size_t i = 0; i < given_count(given, (enum option_id)id); i++) {
            enum value_kind kind = option_list[id].kind;
            const char *path = value_file(kind, values[i]);
            if ((kind == VALUE_FILE_OUT || kind == VALUE_MEMORY_OUT) && path != NULL &&
                is_stream(path)) {
                return true;
            }
        }
    }
    return false;
}
