#include "cli/memories.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/hint.h"
#include "cli/streams.h"

/* ---- names ---- */

static bool is_named(const char *value, const char *name) {
    size_t length = strlen(name);
    return strncmp(value, name, length) == 0 && value[length] == '=';
}

/* Those with a use have a name beside their number. */
static bool is_region(const char *value, unsigned region) {
    const char number[] = {(char)('0' + region), '\0'};
    return is_named(value, weft_region_names[region]) || is_named(value, number);
}

static bool find_memory(const char *value, bool regions_only, struct memory_name *name) {
    for (unsigned i = 0; !regions_only && i < WEFT_MEMORIES; i++) {
        if (is_named(value, weft_memory_names[i])) {
            *name = (struct memory_name){.memory = (enum weft_memory)i};
            return true;
        }
    }
    for (unsigned i = regions_only ? 1 : 0; i < WEFT_REGIONS; i++) {
        if (is_region(value, i)) {
            *name = (struct memory_name){.is_region = true, .region = (enum weft_region)i};
            return true;
        }
    }
    return false;
}

static void unknown_memory(const struct given *given, enum option_id option, const char *value,
                           bool regions_only) {
    char written[64];
    char text[HINT_BYTES];
    char list[200] = "";
    (void)snprintf(written, sizeof written, "%.*s", (int)strcspn(value, "="), value);
    struct hint hint = hint_of(written);
    for (unsigned i = 0; !regions_only && i < WEFT_MEMORIES; i++) {
        hint_consider(&hint, weft_memory_names[i]);
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s, ", weft_memory_names[i]);
    }
    for (unsigned i = regions_only ? 1 : 0; i < WEFT_REGIONS; i++) {
        hint_consider(&hint, weft_region_names[i]);
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", weft_region_names[i],
                       i + 1 < WEFT_REGIONS ? ", " : "");
    }
    usage_error(given->command->name, "there is no %s '%.40s' for --%s%s (%s)",
                regions_only ? "region" : "memory", written, option_list[option].name,
                hint_text(&hint, "", text), list);
}

bool memory_name_read(const struct given *given, enum option_id option, const char *value,
                      bool regions_only, struct memory_name *name) {
    const char *sign = strchr(value, '=');
    if (sign == NULL || sign[1] == '\0') {
        usage_error(given->command->name, "--%s '%.100s': expected %s%s", option_list[option].name,
                    value, option_list[option].value, regions_only ? " or NAME=@BYTES" : "");
        return false;
    }
    if (!find_memory(value, regions_only, name)) {
        unknown_memory(given, option, value, regions_only);
        return false;
    }
    return true;
}

/* ---- --dump-memory ---- */

bool dumps_check(const struct given *given, const struct weft_bare_setup *setup) {
    const struct weft_regions regions = weft_bare_regions(setup);
    const char *const *values = given_values(given, OPTION_DUMP_MEMORY);
    for (size_t i = 0; i < given_count(given, OPTION_DUMP_MEMORY); i++) {
        struct memory_name name;
        if (!memory_name_read(given, OPTION_DUMP_MEMORY, values[i], false, &name)) {
            return false;
        }
        if (name.is_region && regions.limit[name.region] == 0) {
            usage_error(given->command->name,
                        "--dump-memory %.100s: region %s has no bytes; --region gives it some",
                        values[i], weft_region_names[name.region]);
            return false;
        }
    }
    return true;
}

static bool stage_memory(const struct weft_bare_setup *setup, const struct weft_bare *bare,
                         enum weft_memory memory, const char *path, struct weft_file_batch *batch,
                         struct weft_error *error) {
    size_t length = weft_memory_bytes(setup->config, memory);
    uint8_t *bytes = weft_allocate(length, 1, "a memory", error);
    bool good = bytes != NULL && weft_bare_read(bare, memory, bytes, error) &&
                stream_stage(batch, path, bytes, length, error);
    free(bytes);
    return good;
}

bool dumps_stage(const struct given *given, const struct weft_bare_setup *setup,
                 struct weft_bare *bare, struct weft_file_batch *batch) {
    const struct weft_regions regions = weft_bare_regions(setup);
    const char *const *values = given_values(given, OPTION_DUMP_MEMORY);
    for (size_t i = 0; i < given_count(given, OPTION_DUMP_MEMORY); i++) {
        struct weft_error error;
        struct memory_name name = {0};
        const char *path = value_file(VALUE_MEMORY_OUT, values[i]);
        (void)find_memory(values[i], false, &name);
        if (!(name.is_region ? stream_stage(batch, path, weft_bare_region(bare, name.region),
                                            (size_t)regions.limit[name.region], &error)
                             : stage_memory(setup, bare, name.memory, path, batch, &error))) {
            report(path, &error);
            return false;
        }
    }
    return true;
}
