/* Transposes with reshapes between them become one transpose that keeps the last axis, or, of more
 * axes than move at once, some, and one that takes the last axis to its place: pictures that are
 * cut into patches and put together again, with channels first, are moves of whole pixels. */
#include <string.h>

#include "compiler/passes/shuffle.h"

enum {
    PLAIN_RANK = 4, /* of what moves at once */
    MOST_ATOMS = 16,
    MOST_NODES = 12, /* of a chain */
};

/* Elements of the tensor that a chain starts from which every move keeps side by side. */
struct atom {
    int64_t elements;
    int64_t stride; /* in that tensor, so its place there */
};

struct atoms {
    uint32_t count;
    struct atom atom[MOST_ATOMS];
};

/* ---- what a chain does ---- */

/* Divides atoms, which are in the order of a tensor of this shape, so that each axis has some of
 * its own: those from ends[i - 1] on, below ends[i]. False: they cannot be divided, or are too
 * many. */
static bool divide(struct atoms *atoms, const struct weft_type *type,
                   uint32_t ends[WEFT_MAX_RANK]) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        for (int64_t left = type->dim[i]; left > 1; at++) {
            struct atom *atom = &atoms->atom[at];
            if (at == atoms->count) {
                return false;
            }
            if (left % atom->elements == 0) {
                left /= atom->elements;
                continue;
            }
            if (atom->elements % left != 0 || atoms->count == MOST_ATOMS) {
                return false;
            }
            memmove(atom + 1, atom, (atoms->count - at) * sizeof *atom);
            atoms->count++;
            atom[1].elements /= left;
            atom->elements = left;
            atom->stride *= atom[1].elements;
            left = 1;
        }
        ends[i] = at;
    }
    return at == atoms->count;
}

static bool transpose(struct atoms *atoms, const struct weft_node *node) {
    const int64_t *order = weft_node_ints(node, WEFT_ATTR_permutation);
    uint32_t ends[WEFT_MAX_RANK];
    struct atoms made = {.count = 0};
    if (!divide(atoms, &node->inputs[0]->type, ends)) {
        return false;
    }
    for (uint32_t i = 0; i < node->inputs[0]->type.rank; i++) {
        for (uint32_t k = order[i] == 0 ? 0 : ends[order[i] - 1]; k < ends[order[i]]; k++) {
            made.atom[made.count++] = atoms->atom[k];
        }
    }
    *atoms = made;
    return true;
}

/* Joins neighbours that are neighbours in the first tensor, too. */
static void join(struct atoms *atoms) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < atoms->count; i++) {
        struct atom *last = &atoms->atom[count == 0 ? 0 : count - 1];
        if (count > 0 && last->stride == atoms->atom[i].stride * atoms->atom[i].elements) {
            last->elements *= atoms->atom[i].elements;
            last->stride = atoms->atom[i].stride;
        } else {
            atoms->atom[count++] = atoms->atom[i];
        }
    }
    atoms->count = count;
}

/* The tensor that transposes and reshapes start from which nobody else needs the results of, and
 * what they make of its atoms; NULL: there is but one transpose, or it cannot be said.
 * *transposes: how many. */
static struct weft_value *read_chain(const struct weft_rewrite *rewrite,
                                     const struct weft_value *last, struct atoms *atoms,
                                     uint32_t *transposes) {
    const struct weft_node *nodes[MOST_NODES] = {last->producer};
    struct weft_value *from = last->producer->inputs[0];
    uint32_t count = 1;
    *transposes = nodes[0]->op == WEFT_OP_TRANSPOSE;
    while (count < MOST_NODES && from->producer != NULL &&
           (from->producer->op == WEFT_OP_TRANSPOSE || from->producer->op == WEFT_OP_RESHAPE) &&
           from->type.quantization.count <= 1 && weft_rewrite_uses(rewrite, from) == 1) {
        *transposes += from->producer->op == WEFT_OP_TRANSPOSE;
        nodes[count++] = from->producer;
        from = from->producer->inputs[0];
    }
    if (*transposes < 2) {
        return NULL;
    }
    while (nodes[count - 1]->op == WEFT_OP_RESHAPE) {
        count--; /* what comes before the first transpose stays */
    }
    from = nodes[count - 1]->inputs[0];
    *atoms = (struct atoms){1, {{weft_type_elements(&from->type), 1}}};
    bool known = from->type.quantization.count <= 1 && weft_type_elements(&from->type) > 1;
    while (known && count-- > 0) {
        known = nodes[count]->op == WEFT_OP_RESHAPE || transpose(atoms, nodes[count]);
    }
    return known ? from : NULL;
}

/* The tensor whose elements the moves up from the last one leave where they are, all together,
 * whoever else needs what lies between; NULL: there is none. */
static struct weft_value *find_unmoved(const struct weft_value *last) {
    const struct weft_node *nodes[MOST_NODES];
    uint32_t count = 0;
    for (const struct weft_node *node = last->producer;
         count < MOST_NODES && node != NULL &&
         (node->op == WEFT_OP_TRANSPOSE || node->op == WEFT_OP_RESHAPE) &&
         node->inputs[0]->type.quantization.count <= 1;
         node = node->inputs[0]->producer) {
        nodes[count++] = node;
        struct atoms atoms = {1, {{weft_type_elements(&last->type), 1}}};
        bool known = node->op == WEFT_OP_TRANSPOSE && count > 1 && atoms.atom[0].elements > 1;
        for (uint32_t i = count; known && i-- > 0;) {
            known = nodes[i]->op == WEFT_OP_RESHAPE || transpose(&atoms, nodes[i]);
        }
        join(&atoms);
        if (known && atoms.count == 1) {
            return node->inputs[0];
        }
    }
    return NULL;
}

/* ---- what takes its place ---- */

static struct weft_value *transposed(struct weft_rewrite *rewrite, struct weft_value *x,
                                     uint32_t rank, const int64_t *dims, const int64_t *order) {
    const struct weft_type from = rule_shaped(&x->type, rank, dims);
    int64_t to_dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        to_dims[i] = dims[order[i]];
    }
    const struct weft_type to = rule_shaped(&x->type, rank, to_dims);
    const struct weft_attribute permutation =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_permutation, rank, order);
    x = rule_reshape(rewrite, x, &from);
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &to);
}

/* How many atoms lie before this one in the first tensor. */
static uint32_t place_of(const struct atoms *atoms, uint32_t index) {
    uint32_t place = 0;
    for (uint32_t i = 0; i < atoms->count; i++) {
        place += atoms->atom[i].stride > atoms->atom[index].stride;
    }
    return place;
}

static struct weft_value *transpose_once(struct weft_rewrite *rewrite, struct weft_value *x,
                                         const struct atoms *atoms) {
    int64_t dims[PLAIN_RANK] = {1, 1, 1, 1};
    int64_t order[PLAIN_RANK] = {0, 1, 2, 3};
    uint32_t before = PLAIN_RANK - atoms->count;
    for (uint32_t i = 0; i < atoms->count; i++) {
        uint32_t place = before + place_of(atoms, i);
        dims[place] = atoms->atom[i].elements;
        order[before + i] = place;
    }
    return transposed(rewrite, x, PLAIN_RANK, dims, order);
}

static int64_t elements_of(const struct atom *atoms, uint32_t first, uint32_t end) {
    int64_t elements = 1;
    for (uint32_t i = first; i < end; i++) {
        elements *= atoms[i].elements;
    }
    return elements;
}

/* Swaps of neighbouring blocks of atoms, each a transpose of four axes whose last one stays; NULL:
 * it takes more than `most`. `now`: the atoms in their order in x. */
static struct weft_value *transpose_by_swaps(struct weft_rewrite *rewrite, struct weft_value *x,
                                             const struct atoms *atoms, struct atom *now,
                                             uint32_t most, bool counts_only) {
    static const int64_t swap[PLAIN_RANK] = {0, 2, 1, 3};
    uint32_t swaps = 0;
    for (uint32_t i = 0; i < atoms->count; i++) {
        uint32_t from = i;
        while (now[from].stride != atoms->atom[i].stride) {
            from++;
        }
        uint32_t end = from + 1;
        while (end < atoms->count && now[end].stride == atoms->atom[i + end - from].stride) {
            end++;
        }
        if (from == i) {
            continue;
        }
        if (++swaps > most) {
            return NULL;
        }
        const int64_t dims[PLAIN_RANK] = {elements_of(now, 0, i), elements_of(now, i, from),
                                          elements_of(now, from, end),
                                          elements_of(now, end, atoms->count)};
        x = counts_only ? x : transposed(rewrite, x, PLAIN_RANK, dims, swap);
        struct atom moved[MOST_ATOMS];
        memcpy(moved, now + i, (from - i) * sizeof *moved);
        memmove(now + i, now + from, (end - from) * sizeof *now);
        memcpy(now + i + end - from, moved, (from - i) * sizeof *moved);
    }
    return x;
}

/* The atoms as they lie in the first tensor. */
static void sort(const struct atoms *atoms, struct atom *now) {
    for (uint32_t i = 0; i < atoms->count; i++) {
        now[place_of(atoms, i)] = atoms->atom[i];
    }
}

/* The moves of a chain that keep the last axis: none, one transpose, or at most so many; NULL: it
 * takes more. */
static struct weft_value *move_kept(struct weft_rewrite *rewrite, struct weft_value *x,
                                    struct atoms *atoms, uint32_t most) {
    struct atom now[MOST_ATOMS];
    join(atoms);
    if (atoms->count <= 1) {
        return x;
    }
    if (atoms->count <= PLAIN_RANK) {
        return transpose_once(rewrite, x, atoms);
    }
    sort(atoms, now);
    if (transpose_by_swaps(rewrite, x, atoms, now, most, true) == NULL) {
        return NULL;
    }
    sort(atoms, now);
    return transpose_by_swaps(rewrite, x, atoms, now, most, false);
}

/* Which axis of the type the last atom of the first tensor is, by itself; the rank: none. */
static uint32_t axis_of_last(struct atoms *atoms, const struct weft_type *type) {
    uint32_t ends[WEFT_MAX_RANK];
    uint32_t axis = 0;
    if (!divide(atoms, type, ends)) {
        return type->rank;
    }
    for (; axis < type->rank; axis++) {
        uint32_t first = axis == 0 ? 0 : ends[axis - 1];
        if (ends[axis] == first + 1 && atoms->atom[first].stride == 1) {
            break;
        }
    }
    return axis;
}

/* Moves that keep the last axis, and one transpose that takes it to its place: this one may meet
 * its opposite, or go into a product of matrices. */
static struct weft_value *move_last(struct weft_rewrite *rewrite, struct weft_value *x,
                                    struct atoms *atoms, uint32_t most,
                                    const struct weft_type *type) {
    uint32_t axis = axis_of_last(atoms, type);
    uint32_t rank = type->rank;
    int64_t dims[WEFT_MAX_RANK];
    int64_t order[WEFT_MAX_RANK];
    if (axis == rank) {
        return NULL;
    }
    for (uint32_t i = 0; i < rank; i++) {
        order[i] = i < axis ? i : i == axis ? rank - 1 : i - 1;
        dims[order[i]] = type->dim[i];
    }
    uint32_t at = 0;
    while (atoms->atom[at].stride != 1) {
        at++;
    }
    const struct atom last = atoms->atom[at];
    memmove(&atoms->atom[at], &atoms->atom[at + 1], (atoms->count - at - 1) * sizeof last);
    atoms->atom[atoms->count - 1] = last;
    x = move_kept(rewrite, x, atoms, most);
    return x == NULL ? NULL : transposed(rewrite, x, rank, dims, order);
}

/* ---- channels in another order ---- */

/* Elements of the first tensor, `stride` apart and `elements` in all, in another order: atoms from
 * `begin` on, `count` of them, and the same as they lie there. None: count 0. */
struct shuffled {
    uint32_t begin, count;
    struct atom atom[MOST_ATOMS];
    struct atom before[MOST_ATOMS];
};

static bool is_of(const struct atom *atom, int64_t stride, int64_t elements) {
    return atom->stride >= stride && atom->stride < stride * elements;
}

static struct shuffled find_shuffled(const struct atoms *atoms, int64_t stride, int64_t elements) {
    static const struct shuffled none;
    struct shuffled found = none;
    struct atoms own = {.count = 0};
    int64_t all = 1;
    bool differs = false;
    while (found.begin < atoms->count && !is_of(&atoms->atom[found.begin], stride, elements)) {
        found.begin++;
    }
    for (uint32_t i = found.begin; i < atoms->count && is_of(&atoms->atom[i], stride, elements);
         i++) {
        all *= atoms->atom[i].elements;
        own.atom[own.count++] = atoms->atom[i];
    }
    sort(&own, found.before);
    for (uint32_t i = 0; i < own.count; i++) {
        found.atom[i] = own.atom[i];
        differs = differs || own.atom[i].stride != found.before[i].stride;
    }
    found.count = own.count;
    return differs && all == elements && found.count < WEFT_MAX_RANK ? found : none;
}

/* The elements of the last axis of the type, if they lie together in the first tensor, too. */
static struct shuffled find_last(const struct atoms *atoms, const struct weft_type *type) {
    int64_t dim = type->rank == 0 ? 1 : type->dim[type->rank - 1];
    int64_t stride = INT64_MAX;
    int64_t elements = 1;
    uint32_t begin = atoms->count;
    while (elements < dim && begin > 0) {
        begin--;
        elements *= atoms->atom[begin].elements;
        stride = atoms->atom[begin].stride < stride ? atoms->atom[begin].stride : stride;
    }
    struct shuffled found = {.count = 0};
    if (elements == dim && dim > 1) {
        found = find_shuffled(atoms, stride, dim);
        found.count = found.begin == begin ? found.count : 0;
    }
    return found;
}

/* The last axis, which has its atoms as they lie in the first tensor, in the order that is asked.
 */
static struct weft_value *shuffle(struct weft_rewrite *rewrite, struct weft_value *x,
                                  const struct shuffled *shuffled) {
    int64_t dims[WEFT_MAX_RANK] = {1};
    int64_t order[WEFT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < shuffled->count; i++) {
        const struct atom *atom = &shuffled->before[i];
        uint32_t to = 0;
        while (shuffled->atom[to].stride != atom->stride) {
            to++;
        }
        dims[i + 1] = atom->elements;
        order[to + 1] = i + 1;
    }
    dims[0] = weft_type_elements(&x->type) / elements_of(shuffled->before, 0, shuffled->count);
    return transposed(rewrite, x, shuffled->count + 1, dims, order);
}

/* The channels of the first tensor, so many, in the order in which the chain has them, where that
 * ends with some of them but not with those that lie last: then it moves whole pixels, as pixel
 * shuffling does with channels that begin with a picture's own. None: count 0. */
static struct shuffled find_scattered(const struct atoms *atoms, int64_t channels) {
    static const struct shuffled none;
    struct shuffled found = none;
    struct atoms own = {.count = 0};
    const struct atom *last = &atoms->atom[atoms->count - 1];
    int64_t all = 1;
    for (uint32_t i = 0; i < atoms->count; i++) {
        if (atoms->atom[i].stride < channels) {
            all *= atoms->atom[i].elements;
            own.atom[own.count++] = atoms->atom[i];
        }
    }
    if (last->stride == 1 || last->stride >= channels || all != channels ||
        own.count >= WEFT_MAX_RANK) {
        return none;
    }
    sort(&own, found.before);
    memcpy(found.atom, own.atom, own.count * sizeof *own.atom);
    found.count = own.count;
    return found;
}

/* The atoms as they lie where the channels of the first tensor are in their new order. */
static void settle(struct atoms *atoms, const struct shuffled *shuffled) {
    int64_t stride = 1;
    struct atoms now = *atoms;
    for (uint32_t i = shuffled->count; i-- > 0; stride *= shuffled->atom[i].elements) {
        for (uint32_t k = 0; k < atoms->count; k++) {
            if (atoms->atom[k].stride == shuffled->atom[i].stride) {
                now.atom[k].stride = stride;
            }
        }
    }
    *atoms = now;
}

/* The last axis of the type, which has what lies last in the first tensor, but not as its last:
 * with that last, and as it is asked for, as channels are that come of the pixels of a block. None:
 * count 0. */
static struct shuffled find_gathered(const struct atoms *atoms, const struct weft_type *type) {
    static const struct shuffled none;
    struct shuffled found = none;
    int64_t dim = type->rank == 0 ? 1 : type->dim[type->rank - 1];
    int64_t elements = 1;
    uint32_t lowest = atoms->count;
    found.begin = atoms->count;
    while (elements < dim && found.begin > 0) {
        found.begin--;
        elements *= atoms->atom[found.begin].elements;
        lowest = atoms->atom[found.begin].stride == 1 ? found.begin : lowest;
    }
    if (elements != dim || lowest >= atoms->count - 1 ||
        atoms->count - found.begin >= WEFT_MAX_RANK) {
        return none;
    }
    for (uint32_t i = found.begin; i < atoms->count; i++) {
        found.atom[found.count] = atoms->atom[i];
        found.before[found.count++] = atoms->atom[i < lowest             ? i
                                                  : i + 1 < atoms->count ? i + 1
                                                                         : lowest];
    }
    return found;
}

/* ---- all ---- */

/* The moves of a chain to a tensor of the type: those that keep the last axis, and one that does
 * not. */
static struct weft_value *move(struct weft_rewrite *rewrite, struct weft_value *x,
                               struct atoms *atoms, uint32_t transposes,
                               const struct weft_type *type) {
    join(atoms);
    bool keeps_last = atoms->count <= 1 || atoms->atom[atoms->count - 1].stride == 1;
    return keeps_last ? move_kept(rewrite, x, atoms, transposes - 1)
                      : move_last(rewrite, x, atoms, transposes, type);
}

/* How many elements of a tensor, or of the one that it is a reshape of, are side by side for sure:
 * those of its last axis. */
static int64_t channels_of(const struct weft_value *x) {
    const struct weft_type *type = &x->type;
    if (x->producer != NULL && x->producer->op == WEFT_OP_RESHAPE) {
        type = &x->producer->inputs[0]->type;
    }
    return type->rank == 0 ? 1 : type->dim[type->rank - 1];
}

static struct weft_value *merge(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct atoms atoms;
    uint32_t transposes = 0;
    struct weft_value *x = find_unmoved(site->post);
    if (x != NULL) {
        return rule_reshape(rewrite, x, &site->post->type);
    }
    x = read_chain(rewrite, site->post, &atoms, &transposes);
    if (x == NULL || site->pre == NULL) {
        return NULL; /* of what a rule has made there are no more than it takes */
    }
    join(&atoms);
    struct shuffled shuffled = find_last(&atoms, &site->post->type);
    bool is_last = shuffled.count > 0;
    if (!is_last) {
        shuffled = find_shuffled(&atoms, 1, channels_of(x));
    }
    if (shuffled.count > 0) {
        if (!is_last || shuffled.before[shuffled.count - 1].stride != 1) {
            return NULL; /* until both have their channels last: weft_pass_sink_transposes() */
        }
        memcpy(atoms.atom + shuffled.begin, shuffled.before, shuffled.count * sizeof *atoms.atom);
        x = move(rewrite, x, &atoms, transposes, &site->post->type);
        x = x == NULL ? NULL : shuffle(rewrite, x, &shuffled);
        return x == NULL ? NULL : rule_reshape(rewrite, x, &site->post->type);
    }
    const struct shuffled scattered = find_scattered(&atoms, channels_of(x));
    const struct shuffled gathered = find_gathered(&atoms, &site->post->type);
    if (scattered.count > 0) {
        settle(&atoms, &scattered);
        x = move_kept(rewrite, shuffle(rewrite, x, &scattered), &atoms, transposes - 1);
    } else if (gathered.count > 0) {
        memcpy(atoms.atom + gathered.begin, gathered.before, gathered.count * sizeof *atoms.atom);
        x = move_kept(rewrite, x, &atoms, transposes - 1);
        x = x == NULL ? NULL : shuffle(rewrite, x, &gathered);
    } else {
        x = move(rewrite, x, &atoms, transposes, &site->post->type);
    }
    return x == NULL ? NULL : rule_reshape(rewrite, x, &site->post->type);
}

/* ---- one by itself ---- */

struct weft_value *move_split(struct weft_rewrite *rewrite, struct weft_value *x,
                              const struct weft_value *result) {
    const struct weft_type type = x->type;
    struct atoms atoms = {1, {{weft_type_elements(&type), 1}}};
    if (result->type.rank <= PLAIN_RANK || !transpose(&atoms, result->producer)) {
        return NULL;
    }
    join(&atoms);
    const struct shuffled scattered = find_scattered(&atoms, type.dim[type.rank - 1]);
    if (scattered.count == 0) {
        return NULL;
    }
    settle(&atoms, &scattered);
    join(&atoms);
    if (atoms.count == 1 || atoms.count > PLAIN_RANK) {
        return NULL; /* channels alone move, or more than one transpose moves */
    }
    x = rule_reshape(rewrite, shuffle(rewrite, x, &scattered), &type);
    return rule_reshape(rewrite, transpose_once(rewrite, x, &atoms), &result->type);
}

struct weft_graph *weft_pass_merge_moves(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    const struct weft_rule rules[] = {
        {rule_unary(arena, WEFT_OP_TRANSPOSE, any), merge, NULL},
        {rule_unary(arena, WEFT_OP_RESHAPE, rule_unary(arena, WEFT_OP_TRANSPOSE, any)), merge,
         NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
