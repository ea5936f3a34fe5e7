#include "driver/area.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/printable.h"
#include "driver/builtin_technologies.h"

/* ---- reading ---- */

enum {
    MOST_TEXT = 1024, /* bytes of a text that are looked at */
};

/* Numbers are whole, in thousandths: with any configuration the sum is still a number of double. */
#define MOST_VALUE INT64_C(1000000000000)
#define THOUSAND   1000.0

struct reader {
    struct weft_json in;
    struct weft_area_model *model;
    uint32_t part; /* of the module that is being read */
};

/* A key and its value: true when it was good. */
typedef bool take_value(struct reader *r, const char *key, unsigned *seen);

/* Which one of `names` (ended by NULL) a key is, each once; false after an error that says them. */
static bool key_of(struct reader *r, const char *const *names, const char *key, unsigned *seen,
                   unsigned *index, const char *expected) {
    unsigned i = 0;
    while (names[i] != NULL && strcmp(names[i], key) != 0) {
        i++;
    }
    if (names[i] == NULL || (*seen >> i & 1) != 0) {
        return weft_json_malformed(&r->in, expected);
    }
    *seen |= 1U << i;
    *index = i;
    return true;
}

static bool expect(struct reader *r, char byte, const char *text) {
    return weft_json_take(&r->in, byte) || weft_json_malformed(&r->in, text);
}

/* {"key": value, ...}, all keys of the mask `needed` among them. */
static bool take_object(struct reader *r, take_value *take, unsigned needed, const char *expected) {
    unsigned seen = 0;
    bool good = expect(r, '{', "'{'");
    do {
        char key[24];
        good = good && weft_json_take_string(&r->in, key, sizeof key) && expect(r, ':', "':'") &&
               take(r, key, &seen);
    } while (good && weft_json_take(&r->in, ','));
    return good && (((seen & needed) == needed && weft_json_take(&r->in, '}')) ||
                    weft_json_malformed(&r->in, expected));
}

/* [element, ...], at least one. */
static bool take_list(struct reader *r, bool (*take)(struct reader *r)) {
    bool good = expect(r, '[', "'['");
    do {
        good = good && take(r);
    } while (good && weft_json_take(&r->in, ','));
    return good && expect(r, ']', "',' or ']'");
}

/* A text that is not empty and fits. */
static bool take_name(struct reader *r, char *name, size_t size) {
    char text[MOST_TEXT];
    if (!weft_json_take_string(&r->in, text, sizeof text)) {
        return false;
    }
    if (text[0] == '\0' || strlen(text) >= size) {
        return weft_json_malformed(&r->in, "a text that is not empty, nor too long");
    }
    memcpy(name, text, strlen(text) + 1);
    weft_make_printable(name);
    return true;
}

static bool take_source(struct reader *r) {
    char text[MOST_TEXT];
    return take_name(r, text, sizeof text);
}

static bool take_whole(struct reader *r, int64_t least, int64_t most, int64_t *value) {
    return (weft_json_take_integer(&r->in, value) && *value >= least && *value <= most) ||
           weft_json_malformed(&r->in, "a whole number in its range");
}

static bool take_thousandths(struct reader *r, double *value) {
    int64_t number = 0;
    bool good = take_whole(r, -MOST_VALUE, MOST_VALUE, &number);
    *value = (double)number / THOUSAND;
    return good;
}

/* ---- resources, RAM ---- */

static bool take_resource_value(struct reader *r, const char *key, unsigned *seen) {
    static const char *const names[] = {"name", "weight", "source", "url", NULL};
    struct weft_area_resource *resource = &r->model->resources[r->model->resource_count];
    unsigned index = 0;
    if (!key_of(r, names, key, seen, &index, "name, weight, source and url, each once")) {
        return false;
    }
    return index == 0   ? take_name(r, resource->name, sizeof resource->name)
           : index == 1 ? take_thousandths(r, &resource->weight) &&
                              (resource->weight >= 0 ||
                               weft_json_malformed(&r->in, "a weight that is not negative"))
                        : take_source(r);
}

static bool take_resource(struct reader *r) {
    struct weft_area_model *model = r->model;
    if (model->resource_count == WEFT_AREA_RESOURCES) {
        return weft_json_malformed(&r->in, "no more than 4 resources");
    }
    if (!take_object(r, take_resource_value, 0xf, "name, weight, source and url, and '}'")) {
        return false;
    }
    model->resource_count++;
    return true;
}

/* [width, words] */
static bool take_width_and_words(struct reader *r, struct weft_area_shape *shape) {
    int64_t width = 0;
    int64_t words = 0;
    bool good = expect(r, '[', "'['") && take_whole(r, 1, 1 << 20, &width) &&
                expect(r, ',', "','") && take_whole(r, 1, 1 << 30, &words) && expect(r, ']', "']'");
    *shape = (struct weft_area_shape){(uint32_t)width, (uint32_t)words};
    return good;
}

static bool take_shape(struct reader *r) {
    struct weft_area_model *model = r->model;
    if (model->shape_count == WEFT_AREA_SHAPES) {
        return weft_json_malformed(&r->in, "no more than 8 shapes");
    }
    return take_width_and_words(r, &model->shapes[model->shape_count++]);
}

/* A number of each resource. */
static bool take_counts(struct reader *r, double counts[WEFT_AREA_RESOURCES]) {
    if (!expect(r, '[', "'['")) {
        return false;
    }
    for (uint32_t i = 0; i < r->model->resource_count; i++) {
        if ((i > 0 && !expect(r, ',', "a number for each resource")) ||
            !take_thousandths(r, &counts[i])) {
            return false;
        }
    }
    return expect(r, ']', "']' behind a number for each resource");
}

static bool take_small_value(struct reader *r, const char *key, unsigned *seen) {
    static const char *const names[] = {"below", "cell", "per_cell", "per_bit", "per_choice", NULL};
    struct weft_area_small *small = &r->model->small;
    unsigned index = 0;
    if (!key_of(r, names, key, seen, &index,
                "below, cell, per_cell, per_bit and per_choice, each once")) {
        return false;
    }
    int64_t below = 0;
    switch (index) {
    case 0:
        if (!take_whole(r, 1, 1 << 30, &below)) {
            return false;
        }
        small->below = (uint32_t)below;
        return true;
    case 1:
        return take_width_and_words(r, &small->cell);
    case 2:
        return take_counts(r, small->per_cell);
    case 3:
        return take_counts(r, small->per_bit);
    default:
        return take_counts(r, small->per_choice);
    }
}

static bool take_ram_value(struct reader *r, const char *key, unsigned *seen) {
    static const char *const names[] = {"resource", "shapes", "small", "source", "url", NULL};
    struct weft_area_model *model = r->model;
    char name[sizeof model->resources->name];
    unsigned index = 0;
    if (!key_of(r, names, key, seen, &index,
                "resource, shapes, small, source and url, each once")) {
        return false;
    }
    if (index == 1) {
        return take_list(r, take_shape);
    }
    if (index == 2) {
        return take_object(r, take_small_value, 0x1f,
                           "below, cell, per_cell, per_bit and per_choice, and '}'");
    }
    if (index > 1) {
        return take_source(r);
    }
    if (!take_name(r, name, sizeof name)) {
        return false;
    }
    model->ram = 0;
    while (model->ram < model->resource_count &&
           strcmp(name, model->resources[model->ram].name) != 0) {
        model->ram++;
    }
    return model->ram < model->resource_count ||
           weft_json_malformed(&r->in, "a resource that stands above it");
}

/* ---- modules ---- */

/* "parameter", "bits(parameter)" or "small(parameter)", of `length` bytes. */
static bool factor_of(const char *text, size_t length, struct weft_area_factor *factor) {
    static const char *const before[WEFT_AREA_FORMS] = {"", "bits(", "small("};
    factor->form = WEFT_AREA_VALUE;
    for (unsigned form = WEFT_AREA_BITS; form < WEFT_AREA_FORMS; form++) {
        size_t begun = strlen(before[form]);
        if (length > begun && memcmp(text, before[form], begun) == 0 && text[length - 1] == ')') {
            factor->form = (uint8_t)form;
            text += begun;
            length -= begun + 1;
            break;
        }
    }
    for (unsigned i = 0; i < WEFT_PARAMETERS; i++) {
        const char *name = weft_parameter_list[i].name;
        if (strlen(name) == length && memcmp(name, text, length) == 0) {
            factor->parameter = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* "1", or factors with '*' between them. */
static bool take_factors(struct reader *r, struct weft_area_term *term) {
    char text[160];
    if (!take_name(r, text, sizeof text)) {
        return false;
    }
    const char *at = text;
    if (strcmp(text, "1") == 0) {
        return true;
    }
    for (bool more = true; more;) {
        size_t length = strcspn(at, "*");
        if (term->factor_count == WEFT_AREA_FACTORS ||
            !factor_of(at, length, &term->factors[term->factor_count])) {
            return weft_json_malformed(
                &r->in, "1, or up to 4 factors with '*' between them, each a parameter of a "
                        "configuration, bits(parameter) or small(parameter)");
        }
        term->factor_count++;
        more = at[length] == '*';
        at += length + more;
    }
    return true;
}

static bool take_term_value(struct reader *r, const char *key, unsigned *seen) {
    static const char *const names[] = {"of", "counts", NULL};
    struct weft_area_term *term = &r->model->terms[r->model->term_count];
    unsigned index = 0;
    return key_of(r, names, key, seen, &index, "of and counts, each once") &&
           (index == 0 ? take_factors(r, term) : take_counts(r, term->per));
}

static bool take_term(struct reader *r) {
    struct weft_area_model *model = r->model;
    if (model->term_count == WEFT_AREA_TERMS) {
        return weft_json_malformed(&r->in, "no more than 512 terms");
    }
    if (!take_object(r, take_term_value, 0x3, "of and counts, and '}'")) {
        return false;
    }
    model->terms[model->term_count++].part = (uint8_t)r->part;
    return true;
}

static bool take_part(struct reader *r) {
    struct weft_area_model *model = r->model;
    char name[sizeof *model->parts];
    if (!take_name(r, name, sizeof name)) {
        return false;
    }
    r->part = 0;
    while (r->part < model->part_count && strcmp(model->parts[r->part], name) != 0) {
        r->part++;
    }
    if (r->part == WEFT_AREA_PARTS) {
        return weft_json_malformed(&r->in, "no more than 16 parts");
    }
    if (r->part == model->part_count) {
        memcpy(model->parts[model->part_count++], name, strlen(name) + 1);
    }
    return true;
}

/* A module that is not above: it would count twice. */
static bool take_module_name(struct reader *r) {
    struct weft_area_model *model = r->model;
    char(*names)[sizeof *model->modules] = model->modules;
    uint32_t last = model->module_count - 1;
    if (!take_name(r, names[last], sizeof names[last])) {
        return false;
    }
    for (uint32_t i = 0; i < last; i++) {
        if (strcmp(names[i], names[last]) == 0) {
            return weft_json_malformed(&r->in, "a module that does not stand above");
        }
    }
    return true;
}

static bool take_module_value(struct reader *r, const char *key, unsigned *seen) {
    static const char *const names[] = {"module", "part", "terms", NULL};
    unsigned index = 0;
    if (!key_of(r, names, key, seen, &index, "module, part and terms, each once")) {
        return false;
    }
    if (index == 2 && (*seen & 2) == 0) {
        return weft_json_malformed(&r->in, "part before terms");
    }
    return index == 0 ? take_module_name(r) : index == 1 ? take_part(r) : take_list(r, take_term);
}

static bool take_module(struct reader *r) {
    if (r->model->module_count == WEFT_AREA_MODULES) {
        return weft_json_malformed(&r->in, "no more than 96 modules");
    }
    r->model->module_count++;
    return take_object(r, take_module_value, 0x7, "module, part and terms, and '}'");
}

/* ---- the file ---- */

static bool take_model_value(struct reader *r, const char *key, unsigned *seen) {
    static const char *const names[] = {"name",      "about", "unit",    "source", "url",
                                        "resources", "ram",   "modules", NULL};
    struct weft_area_model *model = r->model;
    unsigned index = 0;
    if (!key_of(r, names, key, seen, &index,
                "name, about, unit, source, url, resources, ram and modules, each once")) {
        return false;
    }
    if (index > 5 && (*seen >> 5 & 1) == 0) {
        return weft_json_malformed(&r->in, "resources before ram and modules");
    }
    switch (index) {
    case 0:
        return take_name(r, model->name, sizeof model->name);
    case 2:
        return take_name(r, model->unit, sizeof model->unit);
    case 5:
        return take_list(r, take_resource);
    case 6:
        return take_object(r, take_ram_value, 0x1b, "resource, shapes, source and url, and '}'");
    case 7:
        return take_list(r, take_module);
    default:
        return take_source(r);
    }
}

bool weft_area_parse(const char *text, size_t length, struct weft_area_model *model,
                     struct weft_error *error) {
    struct reader r = {.in = {text, text + length, 1, WEFT_TECHNOLOGY, error}, .model = model};
    memset(model, 0, sizeof *model);
    bool good =
        take_object(&r, take_model_value, 0xff,
                    "name, about, unit, source, url, resources, ram and modules, and '}'") &&
        weft_json_finish(&r.in);
    (void)snprintf(model->label, sizeof model->label, "%s", model->name);
    return good;
}

static bool has_module(const struct weft_area_model *model, const char *name) {
    uint32_t i = 0;
    while (i < model->module_count && strcmp(model->modules[i], name) != 0) {
        i++;
    }
    return i < model->module_count;
}

/* The modules are those of the machine, which a target that is built in has. */
static bool check_modules(const struct weft_area_model *model, const struct weft_area_model *known,
                          struct weft_error *error) {
    for (uint32_t i = 0; i < model->module_count; i++) {
        if (!has_module(known, model->modules[i])) {
            return weft_fail(error, WEFT_TECHNOLOGY, 0, "the machine has no module %s",
                             model->modules[i]);
        }
    }
    for (uint32_t i = 0; i < known->module_count; i++) {
        if (!has_module(model, known->modules[i])) {
            return weft_fail(error, WEFT_TECHNOLOGY, 0, "it has no module %s, as the machine has",
                             known->modules[i]);
        }
    }
    return true;
}

/* A sum of terms, of which some are negative, may come to anything: each machine that is built in
 * must have an area. */
static bool check_totals(const struct weft_area_model *model, struct weft_error *error) {
    for (const struct weft_builtin_config *c = weft_builtin_configs; c->name != NULL; c++) {
        struct weft_config config;
        if (!weft_config_find(c->name, &config, error)) {
            return false;
        }
        const struct weft_area area = weft_area_of(model, &config);
        if (!(area.total > 0)) {
            return weft_fail(error, WEFT_TECHNOLOGY, 0,
                             "the area of %s comes to %.0f, expected more than 0", c->name,
                             area.total);
        }
        for (uint32_t i = 0; i < model->resource_count; i++) {
            if (area.totals[i] < 0) {
                return weft_fail(error, WEFT_TECHNOLOGY, 0,
                                 "the %s of %s come to %.0f, expected 0 or more",
                                 model->resources[i].name, c->name, area.totals[i]);
            }
        }
    }
    return true;
}

static bool same_resources(const struct weft_area_model *a, const struct weft_area_model *b) {
    bool same = a->resource_count == b->resource_count;
    for (uint32_t i = 0; same && i < a->resource_count; i++) {
        same = strcmp(a->resources[i].name, b->resources[i].name) == 0 &&
               a->resources[i].weight == b->resources[i].weight;
    }
    return same;
}

static bool same_shape(const struct weft_area_shape *a, const struct weft_area_shape *b) {
    return a->width == b->width && a->words == b->words;
}

static bool same_rams(const struct weft_area_model *a, const struct weft_area_model *b) {
    bool same = a->ram == b->ram && a->shape_count == b->shape_count &&
                a->small.below == b->small.below && same_shape(&a->small.cell, &b->small.cell);
    for (uint32_t i = 0; same && i < a->shape_count; i++) {
        same = same_shape(&a->shapes[i], &b->shapes[i]);
    }
    for (uint32_t k = 0; same && k < WEFT_AREA_RESOURCES; k++) {
        same = a->small.per_cell[k] == b->small.per_cell[k] &&
               a->small.per_bit[k] == b->small.per_bit[k] &&
               a->small.per_choice[k] == b->small.per_choice[k];
    }
    return same;
}

static bool same_term(const struct weft_area_term *a, const struct weft_area_term *b) {
    bool same = a->part == b->part && a->factor_count == b->factor_count;
    for (uint32_t i = 0; same && i < a->factor_count; i++) {
        same = a->factors[i].parameter == b->factors[i].parameter &&
               a->factors[i].form == b->factors[i].form;
    }
    for (uint32_t k = 0; same && k < WEFT_AREA_RESOURCES; k++) {
        same = a->per[k] == b->per[k];
    }
    return same;
}

static bool same_modules(const struct weft_area_model *a, const struct weft_area_model *b) {
    bool same = a->part_count == b->part_count && a->module_count == b->module_count &&
                a->term_count == b->term_count;
    for (uint32_t i = 0; same && i < a->part_count; i++) {
        same = strcmp(a->parts[i], b->parts[i]) == 0;
    }
    for (uint32_t i = 0; same && i < a->term_count; i++) {
        same = same_term(&a->terms[i], &b->terms[i]);
    }
    return same;
}

/* Whether two models say the same of every machine. */
static bool same_model(const struct weft_area_model *a, const struct weft_area_model *b) {
    return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0 && same_resources(a, b) &&
           same_rams(a, b) && same_modules(a, b);
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    return weft_hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_real(uint64_t hash, double value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return weft_hash_u64(hash, bits);
}

static uint64_t hash_shape(uint64_t hash, const struct weft_area_shape *shape) {
    return weft_hash_u64(weft_hash_u64(hash, shape->width), shape->words);
}

static uint64_t hash_small(uint64_t hash, const struct weft_area_small *small) {
    hash = hash_shape(weft_hash_u64(hash, small->below), &small->cell);
    for (uint32_t k = 0; k < WEFT_AREA_RESOURCES; k++) {
        hash = hash_real(hash, small->per_cell[k]);
        hash = hash_real(hash, small->per_bit[k]);
        hash = hash_real(hash, small->per_choice[k]);
    }
    return hash;
}

static uint64_t hash_term(uint64_t hash, const struct weft_area_term *term) {
    hash = weft_hash_u64(weft_hash_u64(hash, term->part), term->factor_count);
    for (uint32_t i = 0; i < term->factor_count; i++) {
        hash = weft_hash_u64(hash, term->factors[i].parameter);
        hash = weft_hash_u64(hash, term->factors[i].form);
    }
    for (uint32_t k = 0; k < WEFT_AREA_RESOURCES; k++) {
        hash = hash_real(hash, term->per[k]);
    }
    return hash;
}

/* Of what same_model() compares but the name. */
static uint64_t fingerprint_of(const struct weft_area_model *model) {
    uint64_t hash = hash_text(WEFT_HASH_START, model->unit);
    for (uint32_t i = 0; i < model->resource_count; i++) {
        hash = hash_text(hash, model->resources[i].name);
        hash = hash_real(hash, model->resources[i].weight);
    }
    hash = weft_hash_u64(weft_hash_u64(hash, model->ram), model->shape_count);
    for (uint32_t i = 0; i < model->shape_count; i++) {
        hash = hash_shape(hash, &model->shapes[i]);
    }
    hash = hash_small(hash, &model->small);
    hash = weft_hash_u64(hash, model->module_count);
    for (uint32_t i = 0; i < model->part_count; i++) {
        hash = hash_text(hash, model->parts[i]);
    }
    for (uint32_t i = 0; i < model->term_count; i++) {
        hash = hash_term(hash, &model->terms[i]);
    }
    return hash;
}

static bool read_file(const char *path, struct weft_area_model *model, struct weft_error *error) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    struct weft_area_model known;
    if (!weft_file_read(path, &bytes, &length, error)) {
        return false;
    }
    bool good = weft_area_parse((const char *)bytes, length, model, error);
    free(bytes);
    const struct weft_builtin_technology *same = weft_builtin_find(weft_builtin_areas, model->name);
    const struct weft_builtin_technology *any =
        same == NULL ? weft_builtin_find(weft_builtin_areas, WEFT_DEFAULT_AREA) : same;
    if (!good || !weft_area_parse((const char *)any->text, any->length, &known, error) ||
        !check_modules(model, &known, error) || !check_totals(model, error)) {
        return false;
    }
    if (same == NULL) {
        weft_label(model->label, sizeof model->label, model->name, fingerprint_of(model));
        return true;
    }
    return same_model(&known, model) || weft_builtin_taken(model->name, error);
}

bool weft_area_find(const char *name, struct weft_area_model *model, struct weft_error *error) {
    const struct weft_builtin_technology *builtin = weft_builtin_find(weft_builtin_areas, name);
    if (builtin != NULL) {
        return weft_area_parse((const char *)builtin->text, builtin->length, model, error);
    }
    return read_file(name, model, error) || weft_fail_context(error, "area %.100s", name);
}

/* ---- RAMs ---- */

uint32_t weft_area_rams_of(const struct weft_config *config, struct weft_area_rams rams[5]) {
    uint32_t block = config->block;
    uint32_t act = 4 * weft_act_rams(config); /* four lines of neighbours in each */
    uint32_t count = 0;
    rams[count++] =
        (struct weft_area_rams){"act", act, 8 * block, config->act_bytes / block / act, true};
    rams[count++] =
        (struct weft_area_rams){"wgt", 2, 8 * block, config->wgt_bytes / block / 2, true};
    rams[count++] =
        (struct weft_area_rams){"par", 2, 8 * block, config->par_bytes / block / 2, true};
    rams[count++] = (struct weft_area_rams){"acc", config->acc_banks, 32 * block,
                                            weft_acc_bank_entries(config), false};
    if (weft_memory_bytes(config, WEFT_MEMORY_LUT) > 0) {
        rams[count++] = (struct weft_area_rams){"lut", block, 8, 256, true};
    }
    return count;
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

/* Blocks of one RAM, in the shape that takes the fewest. Bits beyond eight of each byte hold data
 * only where bytes are not written for themselves. */
static double blocks_of(const struct weft_area_model *model, const struct weft_area_rams *ram) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < model->shape_count; i++) {
        const struct weft_area_shape *shape = &model->shapes[i];
        uint32_t width = shape->width;
        if (ram->has_strobes && width >= 9) {
            width = width / 9 * 8;
        }
        uint64_t blocks = divide_up(ram->width, width) * divide_up(ram->words, shape->words);
        least = blocks < least ? blocks : least;
    }
    return (double)least;
}

void weft_area_ram_counts(const struct weft_area_model *model, const struct weft_area_rams *ram,
                          double counts[WEFT_AREA_RESOURCES]) {
    const struct weft_area_small *small = &model->small;
    for (uint32_t k = 0; k < WEFT_AREA_RESOURCES; k++) {
        counts[k] = 0;
    }
    if (ram->words >= small->below) {
        counts[model->ram] = ram->count * blocks_of(model, ram);
        return;
    }
    uint64_t beneath = divide_up(ram->words, small->cell.words);
    double cells = (double)(beneath * divide_up(ram->width, small->cell.width));
    double choices = (double)((beneath - 1) * ram->width);
    for (uint32_t k = 0; k < model->resource_count; k++) {
        counts[k] = ram->count * (cells * small->per_cell[k] + ram->width * small->per_bit[k] +
                                  choices * small->per_choice[k]);
    }
}

/* ---- the area ---- */

static double factor_value(const struct weft_config *config,
                           const struct weft_area_factor *factor) {
    const struct weft_parameter *parameter = &weft_parameter_list[factor->parameter];
    uint32_t value = weft_parameter_get(config, parameter);
    uint32_t bits = 0;
    if (parameter->offset == offsetof(struct weft_config, act_rams)) {
        value = weft_act_rams(config);
    }
    if (factor->form == WEFT_AREA_VALUE) {
        return value;
    }
    if (factor->form == WEFT_AREA_SMALL) {
        return value < WEFT_AREA_MACRO_WORDS ? value : 0;
    }
    while (bits < 32 && UINT64_C(1) << bits < value) {
        bits++;
    }
    return bits;
}

static double term_value(const struct weft_config *config, const struct weft_area_term *term) {
    double value = 1;
    for (unsigned i = 0; i < term->factor_count; i++) {
        value *= factor_value(config, &term->factors[i]);
    }
    return value;
}

struct weft_area weft_area_of(const struct weft_area_model *model,
                              const struct weft_config *config) {
    struct weft_area area = {.total = 0};
    struct weft_area_rams rams[5];
    uint32_t ram_count = weft_area_rams_of(config, rams);
    for (uint32_t i = 0; i < model->term_count; i++) {
        const struct weft_area_term *term = &model->terms[i];
        double value = term_value(config, term);
        for (uint32_t k = 0; k < model->resource_count; k++) {
            area.counts[term->part][k] += value * term->per[k];
            area.totals[k] += value * term->per[k];
        }
    }
    for (uint32_t i = 0; i < ram_count; i++) {
        double counts[WEFT_AREA_RESOURCES];
        weft_area_ram_counts(model, &rams[i], counts);
        for (uint32_t k = 0; k < model->resource_count; k++) {
            area.rams[k] += counts[k];
        }
    }
    for (uint32_t k = 0; k < model->resource_count; k++) {
        area.totals[k] += area.rams[k];
        area.total += area.totals[k] * model->resources[k].weight;
    }
    return area;
}
