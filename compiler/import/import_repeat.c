/* Tensors that repeat a smaller one. */
#include "base/checked.h"
#include "compiler/import/importer.h"

static bool add_tile(struct importer *importer, struct weft_value *x, uint32_t count,
                     const int64_t *multiples) {
    struct weft_value *value = NULL;
    struct weft_attribute attribute =
        weft_attr_ints(importer->arena, WEFT_ATTR_multiples, count, multiples);
    return importer_infer(importer, WEFT_OP_TILE, 1, &x, 1, &attribute, &value) &&
           importer_finish(importer, 0, value);
}

/* Inputs: x, how often along each axis. */
bool import_tile(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t multiples[WEFT_MAX_RANK];
    uint32_t count = 0;
    return importer_input(importer, 0, &x) &&
           importer_integers(importer, 1, WEFT_MAX_RANK, multiples, &count) &&
           add_tile(importer, x, count, multiples);
}

/* `x` broadcast to a shape. */
static bool broadcast(struct importer *importer, struct weft_value *x, uint32_t rank,
                      const int64_t *dims) {
    int64_t own[WEFT_MAX_RANK];
    int64_t multiples[WEFT_MAX_RANK];
    bool good = rank >= x->type.rank && x->type.quantization.count <= 1;
    for (uint32_t i = 0; good && i < rank; i++) {
        uint32_t added = rank - x->type.rank;
        own[i] = i < added ? 1 : x->type.dim[i - added];
        multiples[i] = own[i] == 1 ? dims[i] : 1;
        good = own[i] == 1 || own[i] == dims[i];
    }
    return good ? add_tile(importer, importer_reshape(importer, x, rank, own), rank, multiples)
                : importer_wrong(importer, WEFT_MODEL, "its input does not fit the shape");
}

/* Inputs: x, the shape. */
bool import_broadcast_to(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    return importer_input(importer, 0, &x) &&
           importer_integers(importer, 1, WEFT_MAX_RANK, dims, &rank) &&
           broadcast(importer, x, rank, dims);
}

/* Inputs: the shape, the element. */
bool import_fill(struct importer *importer) {
    struct weft_value *element = NULL;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    if (!importer_input(importer, 1, &element) ||
        !importer_integers(importer, 0, WEFT_MAX_RANK, dims, &rank)) {
        return false;
    }
    return element->type.rank == 0
               ? broadcast(importer, element, rank, dims)
               : importer_wrong(importer, WEFT_MODEL, "expected one element to fill it with");
}

bool import_zeros_like(struct importer *importer) {
    static const uint8_t zero[8] = {0};
    struct weft_value *x = NULL;
    if (!importer_input(importer, 0, &x)) {
        return false;
    }
    const struct weft_type type = {.dtype = x->type.dtype};
    struct weft_value *element = weft_graph_add_constant(importer->graph, &type, zero, NULL, -1);
    return broadcast(importer, element, x->type.rank, x->type.dim);
}
