#include "driver/energy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/printable.h"
#include "driver/builtin_technologies.h"

/* ---- technologies ---- */

static const struct {
    const char *name;
    size_t offset;
    const char *unit;
} numbers[] = {
#define WEFT_NUMBER(name, unit, doc) {#name, offsetof(struct weft_technology, name), unit},
#include "driver/technology.def"
#undef WEFT_NUMBER
};

enum {
    NUMBERS = sizeof numbers / sizeof *numbers,
    NAME = NUMBERS,  /* of the bits of what was seen: behind the numbers */
    ABOUT,           /* which need not be there */
    MOST_TEXT = 512, /* bytes of a text that are looked at */
};

static const char each_once[] = "name, about and the numbers of docs/energy.md, each once";

/* 1e12: with any counter the sum is still a number of double. */
#define MOST_VALUE INT64_C(1000000000000)

/* A text that is not empty. */
static bool take_text(struct weft_json *in, char *text, size_t size) {
    return weft_json_take_string(in, text, size) &&
           (text[0] != '\0' || weft_json_malformed(in, "a text that is not empty"));
}

static bool take_part(struct weft_json *in, size_t number, const char *key, unsigned *seen,
                      int64_t *value) {
    static const char *const keys[] = {"value", "unit", "source", "url"};
    char text[MOST_TEXT];
    unsigned part = 0;
    while (part < 4 && strcmp(key, keys[part]) != 0) {
        part++;
    }
    if (part == 4 || (*seen >> part & 1) != 0) {
        return weft_json_malformed(in, "value, unit, source and url, each once");
    }
    *seen |= 1U << part;
    if (part == 0) {
        return (weft_json_take_integer(in, value) && *value >= 0 && *value <= MOST_VALUE) ||
               weft_json_malformed(in, "a number from 0 to 1000000000000");
    }
    return take_text(in, text, sizeof text) &&
           (part != 1 || strcmp(text, numbers[number].unit) == 0 ||
            weft_json_malformed(in, numbers[number].unit));
}

/* {"value": N, "unit": "...", "source": "...", "url": "..."} */
static bool take_number(struct weft_json *in, size_t number, int64_t *value) {
    unsigned seen = 0;
    bool good = weft_json_take(in, '{') || weft_json_malformed(in, "'{'");
    do {
        char key[32];
        good = good && weft_json_take_string(in, key, sizeof key) &&
               (weft_json_take(in, ':') || weft_json_malformed(in, "':'")) &&
               take_part(in, number, key, &seen, value);
    } while (good && weft_json_take(in, ','));
    return good && ((weft_json_take(in, '}') && seen == 0xf) ||
                    weft_json_malformed(in, "value, unit, source and url, and '}'"));
}

static bool take_key(struct weft_json *in, struct weft_technology *technology, uint64_t *seen) {
    char key[32];
    char text[MOST_TEXT];
    int64_t value = 0;
    size_t number = 0;
    if (!weft_json_take_string(in, key, sizeof key) ||
        !(weft_json_take(in, ':') || weft_json_malformed(in, "':'"))) {
        return false;
    }
    bool is_name = strcmp(key, "name") == 0;
    uint64_t bit = UINT64_C(1) << (is_name ? NAME : ABOUT);
    if ((is_name || strcmp(key, "about") == 0) && (*seen & bit) != 0) {
        return weft_json_malformed(in, each_once);
    }
    if (is_name) {
        *seen |= bit;
        if (!take_text(in, text, sizeof text)) {
            return false;
        }
        if (strlen(text) >= sizeof technology->name) {
            return weft_json_malformed(in, "a name of at most 31 bytes");
        }
        memcpy(technology->name, text, strlen(text) + 1);
        weft_make_printable(technology->name);
        return true;
    }
    if (strcmp(key, "about") == 0) {
        *seen |= bit;
        return take_text(in, text, sizeof text);
    }
    while (number < NUMBERS && strcmp(key, numbers[number].name) != 0) {
        number++;
    }
    if (number == NUMBERS || (*seen >> number & 1) != 0) {
        return weft_json_malformed(in, each_once);
    }
    *seen |= UINT64_C(1) << number;
    if (!take_number(in, number, &value)) {
        return false;
    }
    memcpy((char *)technology + numbers[number].offset, &value, sizeof value);
    return true;
}

bool weft_technology_parse(const char *text, size_t length, struct weft_technology *technology,
                           struct weft_error *error) {
    struct weft_json in = {text, text + length, 1, WEFT_TECHNOLOGY, error};
    struct weft_technology read = {.name = ""};
    uint64_t seen = 0;
    if (!weft_json_take(&in, '{')) {
        return weft_json_malformed(&in, "'{'");
    }
    do {
        if (!take_key(&in, &read, &seen)) {
            return false;
        }
    } while (weft_json_take(&in, ','));
    if (!weft_json_take(&in, '}') || (seen | UINT64_C(1) << ABOUT) != (UINT64_C(2) << ABOUT) - 1) {
        return weft_json_malformed(&in, "name and all numbers of docs/energy.md, and '}'");
    }
    if (!weft_json_finish(&in)) {
        return false;
    }
    *technology = read;
    (void)snprintf(technology->label, sizeof technology->label, "%s", technology->name);
    return true;
}

static uint64_t fingerprint_of(const struct weft_technology *technology) {
    uint64_t hash = WEFT_HASH_START;
    for (size_t i = 0; i < NUMBERS; i++) {
        int64_t value = 0;
        memcpy(&value, (const char *)technology + numbers[i].offset, sizeof value);
        hash = weft_hash_u64(hash, (uint64_t)value);
    }
    return hash;
}

/* A file may be called like a technology that is built in if it is the same. */
static bool check_name(struct weft_technology *technology, struct weft_error *error) {
    struct weft_technology known;
    const struct weft_builtin_technology *same =
        weft_builtin_find(weft_builtin_technologies, technology->name);
    if (same == NULL) {
        weft_label(technology->label, sizeof technology->label, technology->name,
                   fingerprint_of(technology));
        return true;
    }
    return weft_technology_parse((const char *)same->text, same->length, &known, error) &&
           (memcmp(&known, technology, sizeof known) == 0 ||
            weft_builtin_taken(technology->name, error));
}

static bool read_file(const char *path, struct weft_technology *technology,
                      struct weft_error *error) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!weft_file_read(path, &bytes, &length, error)) {
        return false;
    }
    bool good = weft_technology_parse((const char *)bytes, length, technology, error);
    free(bytes);
    return good && check_name(technology, error);
}

bool weft_technology_find(const char *name, struct weft_technology *technology,
                          struct weft_error *error) {
    const struct weft_builtin_technology *builtin =
        weft_builtin_find(weft_builtin_technologies, name);
    if (builtin != NULL) {
        return weft_technology_parse((const char *)builtin->text, builtin->length, technology,
                                     error);
    }
    return read_file(name, technology, error) ||
           weft_fail_context(error, "technology %.100s", name);
}

/* ---- what MATRIX moves ---- */

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void add_matrix(const struct weft_config *config, const struct weft_matrix_fields *f,
                       struct weft_matrix_traffic *traffic) {
    uint64_t block = config->block;
    uint64_t passes =
        times(times(f->tile_count[0], f->tile_count[1]), times(f->tile_count[2], f->tile_count[3]));
    uint64_t pixels = times(f->pixel_count[0], f->pixel_count[1]);
    uint64_t read = pixels;
    if (f->mode != WEFT_MODE_DENSE) {
        /* A row of outputs reads each of its columns once, all rows of the window at a time. */
        uint64_t columns =
            times(f->pixel_count[1] == 0 ? 0 : f->pixel_count[1] - 1, f->window_step) +
            f->window_columns;
        read = times(times(f->pixel_count[0], columns), f->window_rows);
    }
    traffic->act_bytes = weft_add_saturated(traffic->act_bytes, times(times(passes, read), block));
    traffic->wgt_bytes =
        weft_add_saturated(traffic->wgt_bytes, times(passes, weft_weight_tile_bytes(config, f)));
    /* Four bytes of each lane, read and written. */
    traffic->acc_bytes =
        weft_add_saturated(traffic->acc_bytes, times(times(passes, pixels), 8 * block));
}

void weft_matrix_traffic_add(const struct weft_config *config,
                             const struct weft_instruction *instructions, size_t count,
                             struct weft_matrix_traffic *traffic) {
    for (size_t i = 0; i < count; i++) {
        if (instructions[i].opcode == WEFT_OPCODE_MATRIX) {
            add_matrix(config, &instructions[i].matrix, traffic);
        }
    }
}

/* ---- energy ---- */

/* Of a byte in a RAM of so many bytes, in fJ: straight between the points as logarithms, and beyond
 * them. Beside a point of 0, which has none, straight as a number over the logarithm of the size,
 * and no further than the points. */
static double ram_byte(const struct weft_technology *t, double bytes) {
    const double sizes[3] = {8192, 32768, 1048576};
    const double values[3] = {(double)t->ram_8k, (double)t->ram_32k, (double)t->ram_1m};
    int i = bytes > sizes[1];
    double place = log(bytes / sizes[i]) / log(sizes[i + 1] / sizes[i]);
    if (values[i] <= 0 || values[i + 1] <= 0) {
        return values[i] + (values[i + 1] - values[i]) * fmin(fmax(place, 0), 1);
    }
    return values[i] * pow(values[i + 1] / values[i], place);
}

static double count(const struct weft_activity *activity, unsigned index) {
    return (double)activity->counters[index];
}

/* Bytes of all RAMs, with LUT. */
static double ram_bytes(const struct weft_config *config) {
    double sum = 0;
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        sum += (double)weft_memory_bytes(config, (enum weft_memory)memory);
    }
    return sum;
}

struct weft_energy weft_energy_of(const struct weft_technology *technology,
                                  const struct weft_config *config,
                                  const struct weft_activity *activity, double clock) {
    const struct weft_technology *t = technology;
    const double micro = 1e-9; /* from fJ */
    double block = config->block;
    double lanes = count(activity, WEFT_COUNTER_INDEX_vector_slots) * block;
    double loaded = count(activity, WEFT_COUNTER_INDEX_load_bytes);
    double stored = count(activity, WEFT_COUNTER_INDEX_store_bytes);
    double filled = count(activity, WEFT_COUNTER_INDEX_fill_lines) * block;
    double weights = (double)activity->matrix.wgt_bytes;
    double act_ram = (double)config->act_bytes / weft_act_rams(config);
    double acc_ram = (double)config->acc_bytes / config->acc_banks;
    struct weft_energy e = {
        .matrix = micro * (double)activity->macs * (double)(t->multiply_8 + t->add_32),
        .vector = micro * lanes * (double)(t->multiply_32 + t->add_32),
        /* Each slot of VECTOR reads or writes a line; what is loaded is written once, whatever
         * memory it is for. */
        .act = micro * ram_byte(t, act_ram) *
               ((double)activity->matrix.act_bytes + lanes + loaded + stored + filled),
        .wgt = micro * ram_byte(t, (double)config->wgt_bytes) * weights,
        .acc = micro * ram_byte(t, acc_ram) * (double)activity->matrix.acc_bytes,
        .external = micro * (double)t->external *
                    (loaded + stored + count(activity, WEFT_COUNTER_INDEX_fetch_bytes)),
    };
    if (clock > 0) {
        double seconds = count(activity, WEFT_COUNTER_INDEX_cycles) / (clock * 1e6);
        e.leakage = seconds * 8 * ram_bytes(config) * (double)t->ram_leakage * 1e-6;
    }
    e.total = e.matrix + e.vector + e.act + e.wgt + e.acc + e.external + e.leakage;
    return e;
}

const char *const weft_energy_names[WEFT_ENERGY_PARTS] = {"matrix", "vector",   "act",     "wgt",
                                                          "acc",    "external", "leakage", "total"};

double weft_energy_part(const struct weft_energy *energy, unsigned part) {
    const double parts[WEFT_ENERGY_PARTS] = {energy->matrix,  energy->vector, energy->act,
                                             energy->wgt,     energy->acc,    energy->external,
                                             energy->leakage, energy->total};
    return parts[part];
}
