/* What was decided, field by field: so that decisions can be changed, compared and written down
 * without knowing each of them. */
#ifndef WEFT_COMPILER_TUNE_FIELDS_H
#define WEFT_COMPILER_TUNE_FIELDS_H

#include "compiler/plan/decisions.h"

/* What a field belongs to. */
enum field_of {
    FIELD_OF_LAYER,  /* struct cut */
    FIELD_OF_TENSOR, /* struct keep */
    FIELD_OF_REGION, /* struct decisions itself, and struct as_if */
    FIELD_OWNERS
};
extern const char *const field_owner_names[FIELD_OWNERS];

/* Fields of a cut, a keep and a region, by name. */
enum cut_field {
#define WEFT_CUT(type, name, doc) CUT_##name,
#include "compiler/plan/decisions.def"
    CUT_FIELDS
};
enum keep_field {
#define WEFT_KEEP(type, name, doc) KEEP_##name,
#include "compiler/plan/decisions.def"
    KEEP_FIELDS
};
/* Those of struct decisions itself, by type and name. */
#define WEFT_REGION_FIELDS(FIELD)                                                                  \
    FIELD(bool, halve_loads)                                                                       \
    FIELD(bool, whole_rams)                                                                        \
    FIELD(int64_t, kept_banks)                                                                     \
    FIELD(bool, keep_longest) FIELD(bool, keep_in_group) FIELD(bool, plain_weights)
enum region_field {
#define REGION_FIELD(type, name) REGION_##name,
    WEFT_REGION_FIELDS(REGION_FIELD)
#undef REGION_FIELD
#define WEFT_AS_IF(type, name, doc) REGION_##name,
#include "compiler/plan/decisions.def"
    REGION_FIELDS
};

/* A field of one layer, tensor or region that has another value. */
struct field_change {
    enum field_of of;
    int item; /* layer or tensor; 0 of a region */
    int field;
    int64_t from, to;
};

/* How many fields one of these has, and how many of these there are. */
int field_count(enum field_of of);
int field_items(const struct decisions *decisions, enum field_of of);
const char *field_name(enum field_of of, int field);

/* The field of that name; -1: there is none. */
int field_named(enum field_of of, const char *name);
bool field_is_flag(enum field_of of, int field);

int64_t decision_get(const struct decisions *decisions, enum field_of of, int item, int field);
void decision_set(struct decisions *decisions, enum field_of of, int item, int field,
                  int64_t value);

/* Are all fields of a layer, a tensor or a region the same? */
bool fields_same(const struct decisions *a, const struct decisions *b, enum field_of of, int item);

/* A copy in the arena, and a copy over another of as many layers and tensors. */
struct decisions decisions_copy(struct weft_arena *arena, const struct decisions *decisions);
void decisions_assign(struct decisions *to, const struct decisions *from);

/* What differs, in the arena; returns how many. */
size_t decisions_compare(struct weft_arena *arena, const struct decisions *from,
                         const struct decisions *to, struct field_change **changes);

#endif
