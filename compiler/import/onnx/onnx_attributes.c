/* Attributes of operators. */
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

const Onnx__AttributeProto *onnx_attribute(const struct onnx_importer *importer, const char *name) {
    for (size_t i = 0; i < importer->node->n_attribute; i++) {
        if (strcmp(onnx_string(importer->node->attribute[i]->name), name) == 0) {
            return importer->node->attribute[i];
        }
    }
    return NULL;
}

int64_t onnx_int(const struct onnx_importer *importer, const char *name, int64_t missing) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, name);
    return attribute == NULL ? missing : attribute->i;
}

float onnx_float(const struct onnx_importer *importer, const char *name, float missing) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, name);
    return attribute == NULL ? missing : attribute->f;
}

const char *onnx_text(const struct onnx_importer *importer, const char *name, const char *missing) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, name);
    return attribute == NULL ? missing
                             : weft_arena_string(importer->arena, (const char *)attribute->s.data,
                                                 attribute->s.len);
}

bool onnx_ints(const struct onnx_importer *importer, const char *name, uint32_t count,
               int64_t missing, int64_t *values) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, name);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = attribute != NULL && i < attribute->n_ints ? attribute->ints[i] : missing;
    }
    return attribute == NULL || attribute->n_ints == count ||
           onnx_wrong(importer, WEFT_MODEL,
                      weft_arena_print(importer->arena, "%s has %zu numbers, expected %u", name,
                                       attribute->n_ints, (unsigned)count));
}

/* ---- kinds ---- */

/* Does it hold what its kind says? Writers of old versions leave the type out. */
static bool is_of_kind(const Onnx__AttributeProto *attribute, char kind) {
    Onnx__AttributeProto__AttributeType type =
        attribute->has_type ? attribute->type : ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED;
    bool untyped = type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED;
    switch (kind) {
    case 'i':
        return attribute->has_i;
    case 'f':
        return attribute->has_f;
    case 's':
        return attribute->has_s;
    case 't':
        return attribute->t != NULL;
    case 'g':
        return attribute->g != NULL;
    case 'I':
        return type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS ||
               (untyped && attribute->n_ints > 0);
    case 'F':
        return type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS ||
               (untyped && attribute->n_floats > 0);
    default: /* 'S' */
        return type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS ||
               (untyped && attribute->n_strings > 0);
    }
}

/* The kind of an attribute in "axis:i pads:I"; 0: it is not there. */
static char kind_of(const char *known, const char *name) {
    size_t length = strlen(name);
    for (const char *at = known; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
        if (strncmp(at, name, length) == 0 && at[length] == ':') {
            return at[length + 1];
        }
    }
    return '\0';
}

bool onnx_check_attributes(const struct onnx_importer *importer, const char *known) {
    for (size_t i = 0; i < importer->node->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = importer->node->attribute[i];
        const char *name = onnx_string(attribute->name);
        char kind = kind_of(known, name);
        if (kind == '\0') {
            return onnx_wrong(
                importer, WEFT_OPERATOR,
                weft_arena_print(importer->arena, "its attribute '%.60s' is not supported", name));
        }
        if (!is_of_kind(attribute, kind) || onnx_attribute(importer, name) != attribute) {
            return onnx_wrong(importer, WEFT_MODEL,
                              weft_arena_print(importer->arena,
                                               "its attribute '%.60s' is of another type than "
                                               "expected, or there twice",
                                               name));
        }
    }
    return true;
}
