#include "compiler/tune/fields.h"

#include <string.h>

const char *const field_owner_names[FIELD_OWNERS] = {"layer", "tensor", "region"};

struct field {
    const char *name;
    size_t offset;
    bool is_flag;
};

#define FLAG_int64_t false
#define FLAG_bool    true

static const struct field cut_fields[CUT_FIELDS] = {
#define WEFT_CUT(type, name, doc) {#name, offsetof(struct cut, name), FLAG_##type},
#include "compiler/plan/decisions.def"
};
static const struct field keep_fields[KEEP_FIELDS] = {
#define WEFT_KEEP(type, name, doc) {#name, offsetof(struct keep, name), FLAG_##type},
#include "compiler/plan/decisions.def"
};
static const struct field region_fields[REGION_FIELDS] = {
#define REGION_FIELD(type, name) {#name, offsetof(struct decisions, name), FLAG_##type},
    WEFT_REGION_FIELDS(REGION_FIELD)
#undef REGION_FIELD
#define WEFT_AS_IF(type, name, doc) {#name, offsetof(struct decisions, as_if.name), FLAG_##type},
#include "compiler/plan/decisions.def"
};

static const struct field *fields_of(enum field_of of) {
    static const struct field *const tables[FIELD_OWNERS] = {cut_fields, keep_fields,
                                                             region_fields};
    return tables[of];
}

int field_count(enum field_of of) {
    static const int counts[FIELD_OWNERS] = {CUT_FIELDS, KEEP_FIELDS, REGION_FIELDS};
    return counts[of];
}

int field_items(const struct decisions *decisions, enum field_of of) {
    return of == FIELD_OF_LAYER    ? decisions->layer_count
           : of == FIELD_OF_TENSOR ? decisions->tensor_count
                                   : 1;
}

const char *field_name(enum field_of of, int field) {
    return fields_of(of)[field].name;
}

bool field_is_flag(enum field_of of, int field) {
    return fields_of(of)[field].is_flag;
}

int field_named(enum field_of of, const char *name) {
    for (int i = 0; i < field_count(of); i++) {
        if (strcmp(field_name(of, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Where a field is. */
static char *place_of_field(const struct decisions *decisions, enum field_of of, int item,
                            int field) {
    char *base = of == FIELD_OF_LAYER    ? (char *)&decisions->cuts[item]
                 : of == FIELD_OF_TENSOR ? (char *)&decisions->keeps[item]
                                         : (char *)(uintptr_t)decisions;
    return base + fields_of(of)[field].offset;
}

int64_t decision_get(const struct decisions *decisions, enum field_of of, int item, int field) {
    const char *place = place_of_field(decisions, of, item, field);
    int64_t value = 0;
    bool flag = false;
    if (field_is_flag(of, field)) {
        memcpy(&flag, place, sizeof flag);
        return flag;
    }
    memcpy(&value, place, sizeof value);
    return value;
}

void decision_set(struct decisions *decisions, enum field_of of, int item, int field,
                  int64_t value) {
    char *place = place_of_field(decisions, of, item, field);
    bool flag = value != 0;
    if (field_is_flag(of, field)) {
        memcpy(place, &flag, sizeof flag);
    } else {
        memcpy(place, &value, sizeof value);
    }
}

bool fields_same(const struct decisions *a, const struct decisions *b, enum field_of of, int item) {
    bool same = true;
    for (int field = 0; field < field_count(of) && same; field++) {
        same = decision_get(a, of, item, field) == decision_get(b, of, item, field);
    }
    return same;
}

void decisions_assign(struct decisions *to, const struct decisions *from) {
    struct cut *cuts = to->cuts;
    struct keep *keeps = to->keeps;
    memcpy(cuts, from->cuts, (size_t)from->layer_count * sizeof *cuts);
    memcpy(keeps, from->keeps, (size_t)from->tensor_count * sizeof *keeps);
    *to = *from;
    to->cuts = cuts;
    to->keeps = keeps;
}

struct decisions decisions_copy(struct weft_arena *arena, const struct decisions *decisions) {
    struct decisions copy = {
        .cuts = WEFT_NEW_ARRAY(arena, (size_t)decisions->layer_count, struct cut),
        .keeps = WEFT_NEW_ARRAY(arena, (size_t)decisions->tensor_count, struct keep)};
    decisions_assign(&copy, decisions);
    return copy;
}

size_t decisions_compare(struct weft_arena *arena, const struct decisions *from,
                         const struct decisions *to, struct field_change **changes) {
    size_t count = 0;
    size_t capacity = 0;
    *changes = NULL;
    for (enum field_of of = 0; of < FIELD_OWNERS; of++) {
        for (int item = 0; item < field_items(from, of); item++) {
            for (int field = 0; field < field_count(of); field++) {
                const struct field_change change = {of, item, field,
                                                    decision_get(from, of, item, field),
                                                    decision_get(to, of, item, field)};
                if (change.from != change.to) {
                    *changes = weft_arena_grow(arena, *changes, count, &capacity, sizeof change);
                    (*changes)[count++] = change;
                }
            }
        }
    }
    return count;
}
