/* What surrounds a tensor in ACT: filled with the zero point. */
#include "base/integer.h"
#include "compiler/emit/work.h"

/* Fills `bytes` bytes, whole lines unless packed, at `address`, repeated `rows` times in each of
 * the planes of an image. */
static void fill_run(const struct work *work, int index, const struct view *view, bool by_load,
                     int64_t planes, int64_t address, int64_t bytes, int64_t rows) {
    if (bytes <= 0 || rows <= 0) {
        return;
    }
    if (by_load) {
        struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
        fill.fill.value = work->plan->locations[index].fill;
        fill.fill.local = (uint32_t)address;
        fill.fill.run = (uint32_t)bytes;
        fill.fill.count[1] = (uint32_t)planes;
        fill.fill.count[2] = (uint32_t)rows;
        fill.fill.local_stride[1] = (int32_t)view->plane;
        fill.fill.local_stride[2] = (int32_t)view->pitch;
        emit(work, &fill);
        return;
    }
    int64_t block = work->plan->config->block;
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_VECTOR);
    fill.vector.function = WEFT_FUNCTION_FILL;
    fill.vector.out_zero = work->plan->locations[index].fill;
    fill.vector.out = (uint32_t)(address / block);
    fill.vector.count[0] = (uint32_t)planes;
    fill.vector.count[1] = (uint32_t)rows;
    fill.vector.count[2] = (uint32_t)(bytes / block);
    fill.vector.out_stride[0] = (int32_t)(view->plane / block);
    fill.vector.out_stride[1] = (int32_t)(view->pitch / block);
    fill.vector.out_stride[2] = 1;
    emit(work, &fill);
}

/* Fills the right halo of `rows` rows, the first of them at `right`, and the left halo of those
 * after them. */
static void fill_sides(const struct work *work, int index, const struct view *view, bool by_load,
                       int64_t planes, int64_t right, int64_t rows) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    int64_t gap = view->pitch - tensor->shape.w * view->pixel;
    if (keep_of(work->plan, index)->stretch == 1) {
        fill_run(work, index, view, by_load, planes, right, gap, rows);
        return;
    }
    int64_t lead = tensor->halo[LEFT] * view->pixel;
    fill_run(work, index, view, by_load, planes, right, tensor->halo[RIGHT] * view->pixel, rows);
    fill_run(work, index, view, by_load, planes, right + gap - lead, lead, rows);
}

/* The same for rows `inner_first` to `inner_end` of an image that are far apart: what is between
 * them stays as it is. */
static void fill_stretched(const struct work *work, int index, const struct view *view,
                           const struct stripe *stripe, bool by_load, int64_t planes, int64_t n,
                           int64_t inner_first, int64_t inner_end) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    int64_t lead = tensor->halo[LEFT] * view->pixel;
    int64_t trail = tensor->halo[RIGHT] * view->pixel;
    int64_t row = lead + tensor->shape.w * view->pixel + trail;
    int64_t block = stripe->first_block;
    fill_run(work, index, view, by_load, planes,
             view_pixel(view, n, block, stripe->first, 0) - lead, row, inner_first - stripe->first);
    int64_t inner = view_pixel(view, n, block, inner_first, 0);
    fill_run(work, index, view, by_load, planes, inner - lead, lead, inner_end - inner_first);
    fill_run(work, index, view, by_load, planes, inner - lead + row - trail, trail,
             inner_end - inner_first);
    fill_run(work, index, view, by_load, planes, view_pixel(view, n, block, inner_end, 0) - lead,
             row, stripe->end - inner_end);
}

void emit_halo(const struct work *work, int index, const struct view *view,
               const struct stripe *stripe, bool by_load) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    const struct shape *s = &tensor->shape;
    int64_t first = stripe->first;
    int64_t end = stripe->end;
    int64_t inner_first = weft_clamp(0, first, end);
    int64_t inner_end = weft_clamp(s->h, first, end);
    int64_t planes =
        keep_of(work->plan, index)->packed ? 1 : stripe_blocks(work->plan->config, tensor, stripe);
    bool sides = tensor->halo[LEFT] > 0 || tensor->halo[RIGHT] > 0;
    int64_t lead = tensor->halo[LEFT] * view->pixel;
    for (int64_t n = stripe->first_image; first < end && n < stripe->end_image; n++) {
        if (keep_of(work->plan, index)->stretch > 1) {
            fill_stretched(work, index, view, stripe, by_load, planes, n,
                           weft_min(inner_first, inner_end), inner_end);
            continue;
        }
        int64_t start = view_pixel(view, n, stripe->first_block, first, 0) - lead;
        int64_t stop = view_pixel(view, n, stripe->first_block, end - 1, s->w) +
                       tensor->halo[RIGHT] * view->pixel;
        if (inner_first >= inner_end) {
            fill_run(work, index, view, by_load, planes, start, stop - start, 1); /* all is halo */
            continue;
        }
        int64_t top = view_pixel(view, n, stripe->first_block, inner_first, 0) - start;
        int64_t right = view_pixel(view, n, stripe->first_block, inner_first, s->w);
        int64_t bottom = view_pixel(view, n, stripe->first_block, inner_end - 1, s->w);
        fill_run(work, index, view, by_load, planes, start, top, 1);
        if (sides) {
            fill_sides(work, index, view, by_load, planes, right, inner_end - inner_first - 1);
        }
        fill_run(work, index, view, by_load, planes, bottom, stop - bottom, 1);
    }
}

void emit_side_halo(const struct work *work, int index, const struct view *view,
                    const struct stripe *stripe, bool by_load) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    if (tensor->halo[LEFT] == 0 && tensor->halo[RIGHT] == 0) {
        return;
    }
    int64_t planes = stripe_blocks(work->plan->config, tensor, stripe);
    int64_t rows = weft_ceil_div(stripe->end - stripe->first, stripe->row_step);
    int64_t gap = view->pitch - tensor->shape.w * view->pixel;
    int64_t lead = tensor->halo[LEFT] * view->pixel;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        int64_t start = view_pixel(view, n, stripe->first_block, stripe->first, 0);
        fill_run(work, index, view, by_load, planes, start - lead, lead, 1);
        fill_sides(work, index, view, by_load, planes, start + view->pitch - gap, rows);
    }
}

void emit_rows_outside(const struct work *work, int index, const struct view *view,
                       const struct stripe *stripe) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    int64_t height = tensor->shape.h;
    int64_t planes = stripe_blocks(work->plan->config, tensor, stripe);
    int64_t above = weft_min(stripe->end, 0) - stripe->first;
    int64_t below = stripe->end - weft_max(stripe->first, height);
    int64_t bytes = tensor->shape.w * view->pixel;
    fill_run(work, index, view, false, planes,
             view_pixel(view, stripe->first_image, stripe->first_block, stripe->first, 0), bytes,
             above);
    fill_run(work, index, view, false, planes,
             view_pixel(view, stripe->first_image, stripe->first_block, stripe->end - below, 0),
             bytes, below);
}

void emit_rows_around(const struct work *work, int index, const struct view *view,
                      const struct stripe *stripe) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    int64_t planes = stripe_blocks(work->plan->config, tensor, stripe);
    int64_t bytes = tensor->shape.w * view->pixel;
    int64_t top = weft_min(first_row_inside(stripe), stripe->end);
    int64_t inside = weft_ceil_div(weft_max(tensor->shape.h - top, 0), stripe->row_step);
    int64_t below = top + inside * stripe->row_step;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        fill_run(work, index, view, true, planes,
                 view_pixel(view, n, stripe->first_block, stripe->first, 0), bytes,
                 weft_ceil_div(top - stripe->first, stripe->row_step));
        fill_run(work, index, view, true, planes,
                 view_pixel(view, n, stripe->first_block, below, 0), bytes,
                 weft_ceil_div(weft_max(stripe->end - below, 0), stripe->row_step));
    }
}
