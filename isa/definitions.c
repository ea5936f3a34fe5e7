/* The .def files of isa as tables. */
#include "isa/definitions.h"

#include <stdlib.h>
#include <string.h>

const struct unit units[] = {
#define WEFT_UNIT(name, index, doc) {#name, index, doc},
#include "instructions.def"
};
const struct memory memories[] = {
#define WEFT_MEMORY(name, banks, doc) {#name, banks, doc},
#include "instructions.def"
};
const struct opcode opcodes[] = {
#define WEFT_OPCODE(name, value, unit, doc) {#name, value, #unit, doc},
#include "instructions.def"
};
const struct enumerator enumerators[] = {
#define WEFT_ENUM(type, name, value, doc) {#type, #name, value, doc},
#include "instructions.def"
};
const struct field fields[] = {
#define WEFT_COMMON(name, kind, width, doc) {NULL, #name, #kind, width, 1, doc},
#include "instructions.def"
#define WEFT_FIELD(opcode, name, kind, width, repeat, doc)                                         \
    {#opcode, #name, #kind, width, repeat, doc},
#include "instructions.def"
};
const struct parameter parameters[] = {
#define WEFT_PARAMETER(name, low, high, doc) {#name, low, high, doc},
#include "config.def"
#undef WEFT_PARAMETER
};
const struct feature features[] = {
#define IS     true
#define IS_NOT false
#define WEFT_FEATURE(parameter, opcode, field, relation, value)                                    \
    {#parameter, #opcode, {{#field, relation, #value}}},
#define WEFT_FEATURE_IN(parameter, opcode, field, relation, value, in_field, in_value)             \
    {#parameter, #opcode, {{#field, relation, #value}, {#in_field, true, #in_value}}},
#include "features.def"
#undef IS
#undef IS_NOT
};
const struct rule rules[] = {
#define WEFT_RULE(condition, text) {#condition, text},
#include "rules.def"
#undef WEFT_RULE
};
const struct fault faults[] = {
#define WEFT_FAULT_CODE(name, value, text) {#name, value, text},
#include "faults.def"
#undef WEFT_FAULT_CODE
};
const struct machine_register registers[] = {
#define WEFT_REGISTER(name, address, doc) {#name, address, doc},
#include "registers.def"
#undef WEFT_REGISTER
};
const struct counter counters[] = {
#define WEFT_COUNTER(name, doc) {#name, doc},
#include "counters.def"
#undef WEFT_COUNTER
};

#define SIZE(array) ((int)(sizeof(array) / sizeof((array)[0])))
const int units_count = SIZE(units);
const int memories_count = SIZE(memories);
const int opcodes_count = SIZE(opcodes);
const int enumerators_count = SIZE(enumerators);
const int fields_count = SIZE(fields);
const int parameters_count = SIZE(parameters);
const int features_count = SIZE(features);
const int rules_count = SIZE(rules);
const int faults_count = SIZE(faults);
const int registers_count = SIZE(registers);
const int registers_version = WEFT_REGISTER_MAP_VERSION;
const int counters_count = SIZE(counters);

bool runs_on_unit(const struct opcode *opcode) {
    return strcmp(opcode->unit, "NONE") != 0;
}

int layout(const struct opcode *opcode, struct slot slots[MAX_SLOTS], int *end) {
    int count = 0;
    int lsb = OPCODE_BITS;
    for (int i = 0; i < COUNT(fields); i++) {
        const struct field *field = &fields[i];
        bool mine =
            field->opcode == NULL ? runs_on_unit(opcode) : strcmp(field->opcode, opcode->name) == 0;
        if (mine) {
            slots[count].field = field;
            slots[count].lsb = lsb;
            count++;
            lsb += field->width * field->repeat;
        }
    }
    *end = lsb;
    return count;
}

void lower(FILE *out, const char *name) {
    for (; *name != '\0'; name++) {
        fputc(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name, out);
    }
}

void upper(FILE *out, const char *name) {
    for (; *name != '\0'; name++) {
        fputc(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name, out);
    }
}

bool first_of_type(int index) {
    return index == 0 || strcmp(enumerators[index].type, enumerators[index - 1].type) != 0;
}

int enumerators_of(const char *type) {
    int count = 0;
    for (int i = 0; i < COUNT(enumerators); i++) {
        count += strcmp(enumerators[i].type, type) == 0;
    }
    return count;
}

const struct parameter *parameter_of(const char *name) {
    for (int i = 0; i < COUNT(parameters); i++) {
        if (strcmp(parameters[i].name, name) == 0) {
            return &parameters[i];
        }
    }
    return NULL;
}

bool feature_is_of(const struct feature *feature, const struct opcode *opcode) {
    return strcmp(feature->opcode, "ANY") == 0 ? runs_on_unit(opcode)
                                               : strcmp(feature->opcode, opcode->name) == 0;
}

int slot_of(const struct slot *slots, int count, const char *field) {
    for (int i = 0; i < count; i++) {
        if (strcmp(slots[i].field->name, field) == 0) {
            return i;
        }
    }
    fprintf(stderr, "generate: a feature needs a field %s, which its opcode does not have\n",
            field);
    exit(EXIT_FAILURE);
}

int condition_value(const struct condition *condition) {
    char *end = NULL;
    long number = strtol(condition->value, &end, 10);
    for (int i = 0; i < COUNT(enumerators) && *end != '\0'; i++) {
        size_t length = strlen(enumerators[i].type);
        if (strncmp(condition->value, enumerators[i].type, length) == 0 &&
            condition->value[length] == '_' &&
            strcmp(condition->value + length + 1, enumerators[i].name) == 0) {
            return enumerators[i].value;
        }
    }
    if (*end != '\0') {
        fprintf(stderr, "generate: there is no value %s\n", condition->value);
        exit(EXIT_FAILURE);
    }
    return (int)number;
}
