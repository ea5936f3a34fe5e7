/* Tensors between external memory and ACT. */
#include "base/integer.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/work.h"

/* A strided copy, outermost level first. */
struct copy {
    int64_t address, local;
    int64_t run;
    int64_t count[3];
    int64_t address_stride[3];
    int64_t local_stride[3];
};

/* Levels that continue the run on both sides become part of it. */
static void coalesce(struct copy *copy) {
    for (int level = 2; level >= 0; level--) {
        if (copy->count[level] != 1 &&
            (copy->address_stride[level] != copy->run || copy->local_stride[level] != copy->run)) {
            return;
        }
        copy->run *= copy->count[level];
        copy->count[level] = 1;
    }
}

typedef void transfer(const struct work *work, uint32_t region, struct copy copy);

static void emit_load(const struct work *work, uint32_t region, struct copy copy) {
    coalesce(&copy);
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    load.load.memory = WEFT_TARGET_ACT;
    load.load.region = region;
    load.load.address = (uint32_t)copy.address;
    load.load.local = (uint32_t)copy.local;
    load.load.run = (uint32_t)copy.run;
    for (int i = 0; i < 3; i++) {
        load.load.count[i] = (uint32_t)copy.count[i];
        load.load.address_stride[i] = (int32_t)copy.address_stride[i];
        load.load.local_stride[i] = (int32_t)copy.local_stride[i];
    }
    emit(work, &load);
}

static void emit_store(const struct work *work, uint32_t region, struct copy copy) {
    coalesce(&copy);
    struct weft_instruction store = weft_instruction_new(WEFT_OPCODE_STORE);
    store.store.region = region;
    store.store.address = (uint32_t)copy.address;
    store.store.local = (uint32_t)copy.local;
    store.store.run = (uint32_t)copy.run;
    for (int i = 0; i < 3; i++) {
        store.store.count[i] = (uint32_t)copy.count[i];
        store.store.address_stride[i] = (int32_t)copy.address_stride[i];
        store.store.local_stride[i] = (int32_t)copy.local_stride[i];
    }
    emit(work, &store);
}

/* Rows and channels of one image. */
struct image {
    const struct view *view;
    int64_t address, local; /* of the first row */
    int64_t rows;
    int64_t row; /* outside, from one of them to the next */
    int64_t blocks, channels;
};

/* A packed tensor: rows of bytes. */
static void move_packed(const struct work *work, const struct shape *s, const struct place *place,
                        const struct image *image, transfer *move) {
    move(work, place->region,
         (struct copy){image->address,
                       image->local,
                       s->w * s->c,
                       {1, 1, image->rows},
                       {0, 0, image->row},
                       {0, 0, image->view->pitch}});
}

/* Planes of channel blocks on both sides. */
static void move_planes(const struct work *work, const struct shape *s, const struct place *place,
                        const struct image *image, transfer *move) {
    move(work, place->region,
         (struct copy){image->address,
                       image->local,
                       s->w * place->pixel,
                       {1, image->blocks, image->rows},
                       {0, place->plane, image->row},
                       {0, image->view->plane, image->view->pitch}});
}

/* Channels that are neighbours outside become lines in planes: whole blocks, and the rest. */
static void move_channels(const struct work *work, const struct shape *s, const struct place *place,
                          const struct image *image, transfer *move) {
    const struct view *view = image->view;
    int64_t block = work->plan->config->block;
    int64_t whole = image->channels / block;
    if (whole > 0) {
        /* With one pixel, or one block, the levels merge into longer runs in one order only. */
        move(work, place->region,
             (struct copy){image->address,
                           image->local,
                           block,
                           {image->rows, s->w, whole},
                           {image->row, place->pixel, block},
                           {view->pitch, view->pixel, view->plane}});
    }
    if (image->channels % block != 0) {
        move(work, place->region,
             (struct copy){image->address + whole * block,
                           image->local + whole * view->plane,
                           image->channels % block,
                           {1, image->rows, s->w},
                           {0, image->row, place->pixel},
                           {0, view->pitch, view->pixel}});
    }
}

/* The copies that move a stripe of a tensor between its view and a place; none when it has no rows.
 */
static void move_rows(const struct work *work, int index, const struct place *place,
                      const struct view *view, const struct stripe *stripe, transfer *move) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    const struct shape *s = &tensor->shape;
    bool packed = keep_of(work->plan, index)->packed;
    int64_t block = work->plan->config->block;
    int64_t first = first_row_inside(stripe);
    int64_t first_block = packed ? 0 : stripe->first_block;
    struct image image = {.view = view, .row = place->row * stripe->row_step};
    image.rows = weft_ceil_div(weft_min(stripe->end, s->h) - first, stripe->row_step);
    image.blocks = stripe_blocks(work->plan->config, tensor, stripe);
    image.channels = weft_min(image.blocks * block, s->c - first_block * block);
    for (int64_t n = stripe->first_image; image.rows > 0 && n < stripe->end_image; n++) {
        image.address = place->offset + n * place->image + first * place->row +
                        first_block * (place->plane != 0 ? place->plane : block);
        image.local = view_pixel(view, n, first_block, first, 0);
        if (packed) {
            move_packed(work, s, place, &image, move);
        } else if (place->plane != 0) {
            move_planes(work, s, place, &image, move);
        } else {
            move_channels(work, s, place, &image, move);
        }
    }
}

/* Where all of a tensor lies that is within no other. */
static struct place own_place(const struct plan *plan, int64_t group, int index) {
    const struct tensor *tensor = &plan->region->tensors[index];
    const struct location *location = &plan->locations[index];
    const struct shape *s = &tensor->shape;
    struct place place = {.region = location->region,
                          .offset = location->offset + group * location->group_bytes};
    place.pixel = tensor->nhwc ? s->c : (int64_t)plan->config->block;
    place.row = s->w * place.pixel;
    place.image = s->h * place.row;
    if (!tensor->nhwc) {
        place.plane = place.image;
        place.image *= blocks_of(plan->config, s->c);
    }
    return place;
}

/* The part of a place that begins at `begin`, [N, H, W, C]. */
static void move_place(struct place *place, const int64_t begin[4]) {
    place->offset +=
        begin[0] * place->image + begin[1] * place->row + begin[2] * place->pixel + begin[3];
}

struct place place_of(const struct plan *plan, int64_t group, int index) {
    const struct tensor *tensors = plan->region->tensors;
    int64_t begin[4] = {0};
    for (; tensors[index].within >= 0; index = tensors[index].within) {
        for (int axis = 0; axis < 4; axis++) {
            begin[axis] += tensors[index].within_begin[axis];
        }
    }
    struct place place = own_place(plan, group, index);
    move_place(&place, begin);
    return place;
}

/* Loads are cut where a bank ends, so that work begins when the first bank is there. Makes *part,
 * of which `end` is 0 before the first call, the next rows of a stripe that begin in one bank;
 * false: there are no more. Rows of planes that do not have banks of their own are not cut. */
static bool next_bank_rows(const struct plan *plan, int index, const struct view *view,
                           const struct stripe *stripe, struct stripe *part) {
    const struct tensor *tensor = &plan->region->tensors[index];
    int64_t bank = weft_bank_bytes(plan->config, WEFT_MEMORY_ACT);
    int64_t end = weft_min(stripe->end, tensor->shape.h);
    part->first = part->end == 0 ? first_row_inside(stripe) : part->end;
    if (part->first >= end) {
        return false;
    }
    bool one_plane =
        keep_of(plan, index)->packed || stripe_blocks(plan->config, tensor, stripe) == 1;
    part->end = end;
    if (stripe->end_image - stripe->first_image == 1 && (one_plane || view->plane % bank == 0)) {
        int64_t begin = view_pixel(view, stripe->first_image, stripe->first_block, part->first, 0);
        int64_t rows = weft_ceil_div(weft_round_up(begin + 1, bank) - begin, view->pitch);
        part->end = weft_min(part->first + rows * stripe->row_step, end);
    }
    return true;
}

void emit_load_rows(const struct work *work, int tensor, const struct view *view,
                    const struct stripe *stripe) {
    struct place place = place_of(work->plan, work->group, tensor);
    struct stripe part = *stripe;
    part.end = 0;
    while (next_bank_rows(work->plan, tensor, view, stripe, &part)) {
        move_rows(work, tensor, &place, view, &part, emit_load);
    }
}

/* The blocks of a stripe from part->first_block on whose planes, which have no banks of their own,
 * are looked up together: to where a bank ends, and no fewer than a pixel's burst has. */
static int64_t blocks_together(const struct plan *plan, const struct view *view,
                               const struct stripe *part) {
    int64_t bank = weft_bank_bytes(plan->config, WEFT_MEMORY_ACT);
    int64_t least = weft_ceil_div(plan->config->memory_burst, plan->config->block);
    int64_t begin = view_pixel(view, part->first_image, part->first_block, view->first_row, 0);
    int64_t end = weft_round_up(begin + weft_max(least * view->plane, 1), bank);
    return weft_ceil_div(end - begin, view->plane);
}

/* Makes *part the next part of a stripe that is looked up by itself: rows as they are loaded, or
 * blocks that lie together. False: there are no more. Before the first call `end` is 0. */
static bool next_looked_up(const struct plan *plan, int index, const struct view *view,
                           const struct stripe *stripe, struct stripe *part) {
    int64_t bank = weft_bank_bytes(plan->config, WEFT_MEMORY_ACT);
    int64_t blocks = stripe_blocks(plan->config, &plan->region->tensors[index], stripe);
    int64_t end = stripe->first_block + blocks;
    if (stripe->end_image - stripe->first_image > 1 || view->plane % bank == 0) {
        return next_bank_rows(plan, index, view, stripe, part);
    }
    part->first_block = part->end == 0 ? stripe->first_block : part->end_block;
    part->end = stripe->end;
    part->end_block = weft_min(part->first_block + blocks_together(plan, view, part), end);
    return part->first_block < end;
}

void emit_load_looked_up(const struct work *work, int tensor, const struct view *view,
                         const struct stripe *stripe) {
    const struct place place = place_of(work->plan, work->group, tensor);
    const struct tensor *loaded = &work->plan->region->tensors[tensor];
    bool has_rows = first_row_inside(stripe) < weft_min(stripe->end, loaded->shape.h);
    struct stripe part = *stripe;
    struct stripe before = {.row_step = 1}; /* nothing */
    if (loaded->table == NULL || keep_of(work->plan, tensor)->packed || !has_rows) {
        emit_load_rows(work, tensor, view, stripe);
        emit_table(work, tensor, view, stripe);
        return;
    }
    part.end = 0;
    while (next_looked_up(work->plan, tensor, view, stripe, &part)) {
        move_rows(work, tensor, &place, view, &part, emit_load);
        emit_table(work, tensor, view, &before);
        before = part;
    }
    emit_table(work, tensor, view, &before);
}

void emit_store_rows(const struct work *work, int tensor, const struct view *view,
                     const struct stripe *stripe) {
    struct place place = place_of(work->plan, work->group, tensor);
    move_rows(work, tensor, &place, view, stripe, emit_store);
}

void emit_load_part(const struct work *work, int whole, const int64_t begin[4],
                    const int64_t steps[3], int part, const struct view *view,
                    const struct stripe *stripe) {
    struct place place = place_of(work->plan, work->group, whole);
    move_place(&place, begin);
    place.image *= steps[0];
    place.row *= steps[1];
    place.pixel *= steps[2];
    move_rows(work, part, &place, view, stripe, emit_load);
}

void emit_load_turned(const struct work *work, int whole, const int order[3], int to,
                      const struct view *view, const struct stripe *stripe) {
    struct place place = place_of(work->plan, work->group, whole);
    const int64_t strides[3] = {place.image, place.row, place.pixel};
    place.image = strides[order[0]];
    place.row = strides[order[1]];
    place.pixel = strides[order[2]];
    move_rows(work, to, &place, view, stripe, emit_load);
}

void emit_store_part(const struct work *work, int whole, const int64_t begin[4], int part,
                     const struct view *view, const struct stripe *stripe) {
    struct place place = place_of(work->plan, work->group, whole);
    move_place(&place, begin);
    move_rows(work, part, &place, view, stripe, emit_store);
}
