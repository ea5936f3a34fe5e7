#include "sweep/store.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "sweep/analyse.h"

enum {
    APPLICATION = 0x57656674, /* "Weft": what file(1) and we know such a file by */
    VERSION = 2,
    OLD_VERSION = 1,           /* its rows had a clock of 100 MHz, too, where nobody said one */
    WAIT_MILLISECONDS = 30000, /* for another process that writes */
    MOST_TEXT = 1 << 20,
};

/* Of a count: as far as figures that are made of it are exact. */
#define MOST_COUNT (INT64_C(1) << 53)

struct sweep_store {
    sqlite3 *base;
    bool is_old; /* of OLD_VERSION, and only read */
    sqlite3_stmt *put;
    sqlite3_stmt *find;
};

/* ---- errors ---- */

static bool failed(struct sweep_store *store, struct weft_error *error) {
    int code = sqlite3_errcode(store->base) & 0xff;
    if (code == SQLITE_NOMEM) {
        return weft_no_memory(error, "a sweep");
    }
    bool is_malformed = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
    return weft_fail(error, is_malformed ? WEFT_SWEEP : WEFT_IO, 0, "%s",
                     sqlite3_errmsg(store->base));
}

static bool execute(struct sweep_store *store, const char *text, struct weft_error *error) {
    return sqlite3_exec(store->base, text, NULL, NULL, NULL) == SQLITE_OK || failed(store, error);
}

static bool prepare(struct sweep_store *store, const char *text, sqlite3_stmt **statement,
                    struct weft_error *error) {
    return sqlite3_prepare_v2(store->base, text, -1, statement, NULL) == SQLITE_OK ||
           failed(store, error);
}

/* ---- text of statements ---- */

static const char *type_of(const struct sweep_field *field) {
    return field->kind == SWEEP_TEXT ? "TEXT" : field->kind == SWEEP_REAL ? "REAL" : "INTEGER";
}

static void add_names(struct weft_text *text, const char *before, bool keys_alone) {
    const struct sweep_field *fields = sweep_fields();
    bool any = false;
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        if (!keys_alone || fields[i].is_key) {
            weft_text_add(text, "%s%s%s", any ? ", " : "", before, fields[i].name);
            any = true;
        }
    }
}

static void add_schema(struct weft_text *text) {
    const struct sweep_field *fields = sweep_fields();
    weft_text_add(text, "CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT);\n"
                        "CREATE TABLE points (id INTEGER PRIMARY KEY");
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        weft_text_add(text, ", %s %s", fields[i].name, type_of(&fields[i]));
    }
    weft_text_add(text, ", UNIQUE (");
    add_names(text, "", true);
    weft_text_add(text, "));\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
                  APPLICATION, VERSION);
}

/* Instead of a row of the same key, whose number stays. */
static void add_put(struct weft_text *text) {
    const struct sweep_field *fields = sweep_fields();
    weft_text_add(text, "INSERT INTO points (");
    add_names(text, "", false);
    weft_text_add(text, ") VALUES (");
    add_names(text, ":", false);
    weft_text_add(text, ") ON CONFLICT (");
    add_names(text, "", true);
    weft_text_add(text, ") DO UPDATE SET ");
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        weft_text_add(text, "%s%s = excluded.%s", i == 0 ? "" : ", ", fields[i].name,
                      fields[i].name);
    }
}

static void add_select(struct weft_text *text) {
    weft_text_add(text, "SELECT id, ");
    add_names(text, "", false);
    weft_text_add(text, " FROM points");
}

/* One row of each kind of energy and area. */
static void add_select_kinds(struct weft_text *text) {
    add_select(text);
    weft_text_add(text, " WHERE technology IS NOT NULL OR area_unit IS NOT NULL"
                        " GROUP BY technology, area_unit, clock");
}

static void add_upgrade(struct weft_text *text) {
    weft_text_add(text,
                  "UPDATE OR REPLACE points SET clock = 0 WHERE clock = %d AND dram = 0;\n"
                  "PRAGMA user_version = %d;\n",
                  SWEEP_CLOCK_OF_DRAM, VERSION);
}

static void add_find(struct weft_text *text) {
    const struct sweep_field *fields = sweep_fields();
    const char *before = " WHERE ";
    add_select(text);
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        if (fields[i].is_key) {
            weft_text_add(text, "%s%s = :%s", before, fields[i].name, fields[i].name);
            before = " AND ";
        }
    }
}

/* A statement of a text that one of the above makes. */
static bool prepare_made(struct sweep_store *store, void (*add)(struct weft_text *text),
                         sqlite3_stmt **statement, struct weft_error *error) {
    struct weft_text text = {0};
    add(&text);
    bool good = weft_text_finish(&text, error) && prepare(store, text.bytes, statement, error);
    weft_text_free(&text);
    return good;
}

static bool execute_made(struct sweep_store *store, void (*add)(struct weft_text *text),
                         struct weft_error *error) {
    struct weft_text text = {0};
    add(&text);
    bool good = weft_text_finish(&text, error) && execute(store, text.bytes, error);
    weft_text_free(&text);
    return good;
}

/* ---- opening ---- */

static bool read_number(struct sweep_store *store, const char *text, int64_t *number,
                        struct weft_error *error) {
    sqlite3_stmt *statement = NULL;
    bool good = prepare(store, text, &statement, error) &&
                (sqlite3_step(statement) == SQLITE_ROW || failed(store, error));
    *number = good ? sqlite3_column_int64(statement, 0) : 0;
    (void)sqlite3_finalize(statement);
    return good;
}

static bool is_other(struct weft_error *error) {
    return weft_fail(error, WEFT_SWEEP, 0,
                     "it is no sweep of this version of Weft, which has other columns");
}

/* Has the file the columns that rows have here? */
static bool check_columns(struct sweep_store *store, struct weft_error *error) {
    const struct sweep_field *fields = sweep_fields();
    sqlite3_stmt *statement = NULL;
    size_t count = 0;
    int code = SQLITE_DONE;
    bool same = true;
    if (!prepare(store, "SELECT name FROM pragma_table_info('points') ORDER BY cid", &statement,
                 error)) {
        return false;
    }
    for (; same && (code = sqlite3_step(statement)) == SQLITE_ROW; count++) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const char *known = count == 0 ? "id" : count <= SWEEP_FIELDS ? fields[count - 1].name : "";
        same = name != NULL && strcmp(name, known) == 0;
    }
    code = same ? code : sqlite3_errcode(store->base); /* a lack of memory leaves no name */
    bool good = (code == SQLITE_ROW || code == SQLITE_DONE) || failed(store, error);
    (void)sqlite3_finalize(statement);
    return good && ((same && count == SWEEP_FIELDS + 1) || is_other(error));
}

/* An empty file becomes one of ours; one transaction, so that nobody sees half of it. */
static bool begin_file(struct sweep_store *store, bool make, struct weft_error *error) {
    int64_t tables = 0;
    int64_t application = 0;
    int64_t version = 0;
    bool good = (!make || execute(store, "BEGIN IMMEDIATE", error)) &&
                read_number(store, "SELECT count(*) FROM sqlite_schema", &tables, error) &&
                read_number(store, "PRAGMA application_id", &application, error) &&
                read_number(store, "PRAGMA user_version", &version, error);
    if (good && tables == 0) {
        good = make ? execute_made(store, add_schema, error)
                    : weft_fail(error, WEFT_SWEEP, 0, "it is empty: there is no sweep in it");
    } else if (good &&
               (application != APPLICATION || (version != VERSION && version != OLD_VERSION))) {
        good = is_other(error);
    } else if (good && version == OLD_VERSION) {
        store->is_old = !make;
        good = check_columns(store, error) && (!make || execute_made(store, add_upgrade, error));
    }
    return good && (!make || execute(store, "COMMIT", error)) && check_columns(store, error);
}

/* Settings for files that others made. */
static void distrust(sqlite3 *base) {
    (void)sqlite3_db_config(base, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(base, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(base, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(base, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    (void)sqlite3_limit(base, SQLITE_LIMIT_LENGTH, MOST_TEXT);
    (void)sqlite3_busy_timeout(base, WAIT_MILLISECONDS);
}

static bool open_base(struct sweep_store *store, const char *path, bool make,
                      struct weft_error *error) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | (make ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &store->base, flags, NULL) != SQLITE_OK) {
        return store->base == NULL ? weft_no_memory(error, "a sweep") : failed(store, error);
    }
    distrust(store->base);
    /* A process that is killed loses nothing so, either; a computer that is, at most the last
     * rows. */
    return execute(store, "PRAGMA synchronous = NORMAL", error) && begin_file(store, make, error) &&
           prepare_made(store, add_find, &store->find, error) &&
           prepare_made(store, add_put, &store->put, error);
}

/* Takes a file away in which nothing could be written. */
static void remove_empty(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0) {
        (void)unlink(path);
    }
}

bool sweep_store_open(const char *path, bool make, struct sweep_store **store,
                      struct weft_error *error) {
    bool is_new = make && access(path, F_OK) != 0;
    struct sweep_store *made = weft_allocate(1, sizeof *made, "a sweep", error);
    if (made == NULL) {
        return false;
    }
    if (!open_base(made, path, make, error)) {
        sweep_store_close(made);
        if (is_new) {
            remove_empty(path);
        }
        return false;
    }
    *store = made;
    return true;
}

void sweep_store_close(struct sweep_store *store) {
    if (store != NULL) {
        (void)sqlite3_finalize(store->put);
        (void)sqlite3_finalize(store->find);
        (void)sqlite3_close_v2(store->base);
        free(store);
    }
}

/* ---- rows ---- */

static int bind_field(sqlite3_stmt *statement, int at, const struct sweep_field *field,
                      const struct sweep_row *row) {
    const char *member = (const char *)row + field->offset;
    uint32_t value = 0;
    uint64_t number = 0;
    double real = 0;
    if (field->is_figure && row->error_code[0] != '\0') {
        return sqlite3_bind_null(statement, at);
    }
    switch (field->kind) {
    case SWEEP_TEXT:
        return member[0] == '\0' ? sqlite3_bind_null(statement, at)
                                 : sqlite3_bind_text(statement, at, member, -1, SQLITE_STATIC);
    case SWEEP_VALUE:
        memcpy(&value, member, sizeof value);
        return sqlite3_bind_int64(statement, at, value);
    case SWEEP_NUMBER:
        memcpy(&number, member, sizeof number);
        return sqlite3_bind_int64(statement, at, number > INT64_MAX ? INT64_MAX : (int64_t)number);
    case SWEEP_REAL:
        memcpy(&real, member, sizeof real);
        return isnan(real) ? sqlite3_bind_null(statement, at)
                           : sqlite3_bind_double(statement, at, real);
    }
    return SQLITE_MISUSE;
}

static bool bind_fields(struct sweep_store *store, sqlite3_stmt *statement,
                        const struct sweep_row *row, struct weft_error *error) {
    const struct sweep_field *fields = sweep_fields();
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, ":%s", fields[i].name);
        int at = sqlite3_bind_parameter_index(statement, name);
        if (at > 0 && bind_field(statement, at, &fields[i], row) != SQLITE_OK) {
            return failed(store, error);
        }
    }
    return true;
}

static bool bad_column(const struct sweep_row *row, const struct sweep_field *field,
                       struct weft_error *error) {
    return weft_fail(error, WEFT_SWEEP, (uint64_t)row->id,
                     "row %" PRId64 ": %s has a value that it cannot have", row->id, field->name);
}

/* The bytes of a text, of which control characters are not kept: it is printed. */
static bool read_text(sqlite3_stmt *statement, int at, char *text, size_t size) {
    const char *bytes = (const char *)sqlite3_column_text(statement, at);
    size_t length = bytes == NULL ? 0 : strlen(bytes);
    if (length >= size) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        text[i] = (unsigned char)bytes[i] < 0x20 || bytes[i] == 0x7f ? '?' : bytes[i];
    }
    text[length] = '\0';
    return true;
}

static bool read_field(sqlite3_stmt *statement, int at, const struct sweep_field *field,
                       struct sweep_row *row) {
    char *member = (char *)row + field->offset;
    int type = sqlite3_column_type(statement, at);
    int64_t number = sqlite3_column_int64(statement, at);
    uint32_t value = (uint32_t)number;
    uint64_t wide = (uint64_t)number;
    double real = type == SQLITE_NULL ? NAN : sqlite3_column_double(statement, at);
    bool may_lack = !field->is_figure || row->error_code[0] != '\0'; /* which is read before them */
    switch (field->kind) {
    case SWEEP_TEXT:
        return (type == SQLITE_TEXT || type == SQLITE_NULL) &&
               read_text(statement, at, member, field->size);
    case SWEEP_VALUE:
        memcpy(member, &value, sizeof value);
        return type == SQLITE_INTEGER && number >= 0 && number <= UINT32_MAX;
    case SWEEP_NUMBER:
        memcpy(member, &wide, sizeof wide);
        return type == SQLITE_NULL ? may_lack
                                   : type == SQLITE_INTEGER && number >= 0 && number <= MOST_COUNT;
    case SWEEP_REAL:
        memcpy(member, &real, sizeof real);
        return type == SQLITE_NULL ? may_lack || field->may_lack
                                   : (type == SQLITE_INTEGER || type == SQLITE_FLOAT) &&
                                         real >= 0 && real <= field->most;
    }
    return false;
}

/* The axis of a row with figures that has a value of which there are none. */
static unsigned wrong_axis(const struct sweep_row *row) {
    struct weft_error error;
    return row->error_code[0] == '\0' ? sweep_wrong_option(row->values, &error) : SWEEP_AXES;
}

static const struct sweep_field *field_of_axis(unsigned axis) {
    const struct sweep_field *field = sweep_fields();
    while (field->offset != offsetof(struct sweep_row, values) + axis * sizeof(uint32_t)) {
        field++;
    }
    return field;
}

static bool read_row(const struct sweep_store *store, sqlite3_stmt *statement,
                     struct sweep_row *row, struct weft_error *error) {
    const struct sweep_field *fields = sweep_fields();
    struct sweep_row read = {.id = sqlite3_column_int64(statement, 0)};
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        if (!read_field(statement, (int)i + 1, &fields[i], &read)) {
            return bad_column(&read, &fields[i], error);
        }
    }
    if (store->is_old && read.values[SWEEP_AXIS_dram] == 0 &&
        read.values[SWEEP_AXIS_clock] == SWEEP_CLOCK_OF_DRAM) {
        read.values[SWEEP_AXIS_clock] = 0;
    }
    unsigned wrong = wrong_axis(&read);
    if (wrong != SWEEP_AXES) {
        return bad_column(&read, field_of_axis(wrong), error);
    }
    read.counters[WEFT_COUNTER_INDEX_cycles] = read.cycles;
    *row = read;
    return true;
}

bool sweep_store_put(struct sweep_store *store, const struct sweep_row *row,
                     struct weft_error *error) {
    bool good = bind_fields(store, store->put, row, error) &&
                (sqlite3_step(store->put) == SQLITE_DONE || failed(store, error));
    (void)sqlite3_reset(store->put);
    return good;
}

bool sweep_store_find(struct sweep_store *store, struct sweep_row *row, bool *found,
                      struct weft_error *error) {
    if (!bind_fields(store, store->find, row, error)) {
        return false;
    }
    int step = sqlite3_step(store->find);
    bool good = step == SQLITE_DONE ||
                (step == SQLITE_ROW && read_row(store, store->find, row, error)) ||
                (step != SQLITE_ROW && failed(store, error));
    *found = good && step == SQLITE_ROW;
    (void)sqlite3_reset(store->find);
    return good;
}

/* Reads what a statement gives, row by row. */
static bool take_rows(struct sweep_store *store, sqlite3_stmt *statement, struct sweep_row *rows,
                      size_t capacity, size_t *count, struct weft_error *error) {
    int step = sqlite3_step(statement);
    for (; step == SQLITE_ROW && *count < capacity; step = sqlite3_step(statement)) {
        if (!read_row(store, statement, &rows[*count], error)) {
            return false;
        }
        (*count)++;
    }
    return step == SQLITE_DONE || step == SQLITE_ROW || failed(store, error);
}

/* Rows that a statement gives, at most as many as there are. */
static bool select_rows(struct sweep_store *store, void (*add)(struct weft_text *text),
                        const char *counting, struct sweep_row **rows, size_t *count,
                        struct weft_error *error) {
    sqlite3_stmt *statement = NULL;
    int64_t there = 0;
    if (!read_number(store, counting, &there, error)) {
        return false;
    }
    if (there > SWEEP_MOST_ROWS) {
        return weft_fail(error, WEFT_LIMIT, 0, "it has %" PRId64 " rows, more than %d", there,
                         SWEEP_MOST_ROWS);
    }
    struct sweep_row *list = weft_allocate((size_t)there, sizeof *list, "rows", error);
    if (list == NULL) {
        return false;
    }
    *count = 0;
    bool good = prepare_made(store, add, &statement, error) &&
                take_rows(store, statement, list, (size_t)there, count, error);
    (void)sqlite3_finalize(statement);
    if (!good) {
        free(list);
        return false;
    }
    *rows = list;
    return true;
}

bool sweep_store_rows(struct sweep_store *store, struct sweep_row **rows, size_t *count,
                      struct weft_error *error) {
    if (!select_rows(store, add_select, "SELECT count(*) FROM points", rows, count, error)) {
        return false;
    }
    qsort(*rows, *count, sizeof **rows, sweep_row_order);
    return true;
}

bool sweep_store_kinds(struct sweep_store *store, struct sweep_row **rows, size_t *count,
                       struct weft_error *error) {
    return select_rows(store, add_select_kinds,
                       "SELECT count(*) FROM (SELECT DISTINCT technology, area_unit, clock FROM "
                       "points)",
                       rows, count, error);
}

/* ---- other files ---- */

/* Takes a row the place of one with the same key? Figures, that of an error; what has energy or
 * area, that of what has not: in whatever order files are merged. */
static bool replaces(const struct sweep_row *row, const struct sweep_row *there) {
    bool is_good = row->error_code[0] == '\0';
    if (is_good != (there->error_code[0] == '\0')) {
        return is_good;
    }
    bool has_more =
        (isnan(there->energy) && !isnan(row->energy)) || (isnan(there->area) && !isnan(row->area));
    bool has_less =
        (!isnan(there->energy) && isnan(row->energy)) || (!isnan(there->area) && isnan(row->area));
    return is_good && has_more && !has_less;
}

static bool add_rows(struct sweep_store *store, const struct sweep_row *rows, size_t count,
                     struct weft_error *error) {
    for (size_t i = 0; i < count; i++) {
        struct sweep_row there = rows[i];
        bool found = false;
        if (!sweep_store_find(store, &there, &found, error) ||
            ((!found || replaces(&rows[i], &there)) && !sweep_store_put(store, &rows[i], error))) {
            return false;
        }
    }
    return true;
}

/* Are all energies and areas of the file of one kind? */
static bool check_kinds(struct sweep_store *store, struct weft_error *error) {
    struct sweep_row *rows = NULL;
    size_t count = 0;
    if (!sweep_store_kinds(store, &rows, &count, error)) {
        return false;
    }
    size_t before = 0;
    size_t other = sweep_find_other_energy(rows, count, &before);
    struct weft_error areas;
    bool good =
        other == count
            ? sweep_check_areas(rows, count, &areas) ||
                  weft_fail(error, WEFT_SWEEP, areas.position,
                            "joined, rows would have areas of several targets, which those of one "
                            "file have not")
            : weft_fail(error, WEFT_SWEEP, (uint64_t)rows[other].id,
                        "joined, rows would have energies of %.60s and of %.60s, which those of "
                        "one file have not",
                        rows[before].technology, rows[other].technology);
    free(rows);
    return good;
}

bool sweep_store_merge(struct sweep_store *store, const char *path, struct weft_error *error) {
    struct sweep_store *other = NULL;
    struct sweep_row *rows = NULL;
    size_t count = 0;
    if (!sweep_store_open(path, false, &other, error)) {
        return false;
    }
    bool read = sweep_store_rows(other, &rows, &count, error);
    sweep_store_close(other);
    if (!read) {
        return false;
    }
    bool good = execute(store, "BEGIN IMMEDIATE", error) && add_rows(store, rows, count, error) &&
                check_kinds(store, error) && execute(store, "COMMIT", error);
    free(rows);
    if (!good && sqlite3_get_autocommit(store->base) == 0) {
        struct weft_error second;
        (void)execute(store, "ROLLBACK", &second);
    }
    return good;
}

/* ---- notes ---- */

bool sweep_store_get(struct sweep_store *store, const char *name, char *text, size_t size,
                     struct weft_error *error) {
    sqlite3_stmt *statement = NULL;
    text[0] = '\0';
    if (!prepare(store, "SELECT text FROM notes WHERE name = ?", &statement, error)) {
        return false;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    int step = sqlite3_step(statement);
    bool good = step == SQLITE_ROW || step == SQLITE_DONE || failed(store, error);
    if (step == SQLITE_ROW && !read_text(statement, 0, text, size)) {
        good = weft_fail(error, WEFT_SWEEP, 0, "its note %s is too long", name);
    }
    (void)sqlite3_finalize(statement);
    return good;
}

bool sweep_store_set(struct sweep_store *store, const char *name, const char *text,
                     struct weft_error *error) {
    sqlite3_stmt *statement = NULL;
    if (!prepare(store, "INSERT OR REPLACE INTO notes VALUES (?, ?)", &statement, error)) {
        return false;
    }
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
    bool good = sqlite3_step(statement) == SQLITE_DONE || failed(store, error);
    (void)sqlite3_finalize(statement);
    return good;
}
