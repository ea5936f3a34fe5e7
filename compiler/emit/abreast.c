/* Layers abreast, row by row: what a row of a layer does begins when the rows that it reads are
 * there, so that MATRIX is at some rows while VECTOR is at others. Which step comes next is what
 * would start first, as far as durations tell. */
#include "base/integer.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/work.h"
#include "sim/timing/duration.h"

enum {
    MOST_ACC_BANKS = 32
};

/* A layer, at one of its rows. */
struct lane {
    int layer;
    int weight; /* what MATRIX puts off: 0: nothing, 1: what is to come back as weights, 2: the rest
                 */
    bool is_open; /* `stream` has the steps of row `row` */
    int64_t row;
    struct stream stream;
    size_t at;
    uint64_t ready;     /* when what the row reads is there */
    uint64_t made;      /* when the last step so far has finished */
    uint64_t *finished; /* by row; 0: it has not been emitted */
};

/* Banks of accumulators that tiles have, as they are given out: one after the other. */
struct tiles {
    int64_t banks, next;
    int lane_of[MOST_ACC_BANKS]; /* whose tile is not requantised yet; -1: none */
    uint64_t free[MOST_ACC_BANKS];
};

struct abreast {
    const struct work *work;
    int64_t rows;
    int count;
    struct lane *lanes;
    struct tiles tiles;
    uint64_t free[WEFT_UNITS];
    int table;           /* the piece that LUT holds; -1: none */
    uint64_t table_read; /* when it has been read last */
};

/* ---- what a row does ---- */

/* Where a row of an operand or of the result is. Of what lies between the layers rows are apart; of
 * others a row is some of their pixels. */
static struct view row_view(const struct work *work, int slot, const struct view *all,
                            int64_t row) {
    const struct layer *layer = layer_of(work);
    const struct tensor *tensor = tensor_at(work->plan, work->layer, slot);
    bool is_repeated = layer->kind == LAYER_BINARY && slot < 2 && tensor->shape.h == 1;
    struct view view = *all;
    view.first_row = is_repeated ? 0 : row;
    if (tensor->shape.h > 1) {
        view.base += (tensor->turns > 0 ? row % tensor->turns : row) * view.pitch;
    } else if (tensor->shape.w > 1) {
        view.base += row * layer->out.w * view.pixel;
    }
    return view;
}

/* The layer that reads a tensor as weights; -1: none does. */
static int gatherer_of(const struct region *region, int tensor) {
    for (int i = 0; i < region->layer_count; i++) {
        if (operations_of(&region->layers[i])->gathers_weights &&
            region->tensors_of[i][1] == tensor) {
            return i;
        }
    }
    return -1;
}

/* Stores a row of the result, or all of it after the last one. */
static void store_row(const struct work *work, const struct view *all, int64_t row) {
    const struct tensor *result = tensor_at(work->plan, work->layer, 2);
    const struct stripe one = rows_of_image(0, row, row + 1);
    const struct stripe whole = whole_tensor(result);
    int out = operand_of(work, 2);
    if (result->shape.h > 1) {
        const struct view view = row_view(work, 2, all, row);
        emit_store_rows(work, out, &view, &one);
    } else if (row == layer_of(work)->out.h - 1) {
        emit_store_rows(work, out, all, &whole);
    }
}

/* Of the steps from `first` on look-ups come last: LUT then changes its table but once for a row.
 */
static void put_tables_last(struct stream *stream, size_t first) {
    struct stream tables = {.arena = stream->arena};
    size_t count = first;
    for (size_t i = first; i < stream->count; i++) {
        const struct step *step = &stream->steps[i];
        if (step->instruction.opcode == WEFT_OPCODE_VECTOR &&
            step->instruction.vector.function == WEFT_FUNCTION_LUT) {
            stream_add(&tables, step);
        } else {
            stream->steps[count++] = *step;
        }
    }
    stream->count = count;
    for (size_t i = 0; i < tables.count; i++) {
        stream_add(stream, &tables.steps[i]);
    }
}

/* The rows of a tensor that begin in the bank that one of them begins in: LOAD owns all of it, so
 * they come on chip together. */
static struct stripe rows_of_bank(const struct abreast *a, const struct view *view, int64_t row) {
    int64_t bank = weft_bank_bytes(a->work->plan->config, WEFT_MEMORY_ACT);
    int64_t of_row = (view->base + row * view->pitch) / bank;
    struct stripe rows = rows_of_image(0, row, row + 1);
    while (rows.first > 0 && (view->base + (rows.first - 1) * view->pitch) / bank == of_row) {
        rows.first--;
    }
    while (rows.end < a->rows && (view->base + rows.end * view->pitch) / bank == of_row) {
        rows.end++;
    }
    return rows;
}

/* Has a layer come to a row of an operand, or to one after it? */
static bool is_row_open(const struct abreast *a, int tensor, int64_t row) {
    const struct region *region = a->work->plan->region;
    bool found = false;
    for (int i = 0; i < a->count && !found; i++) {
        const struct lane *lane = &a->lanes[i];
        const int *tensors = region->tensors_of[lane->layer];
        bool is_there = lane->row > row || (lane->row == row && lane->is_open);
        for (uint32_t slot = 0; slot < region->layers[lane->layer].input_count; slot++) {
            found = found || (is_there && tensors[slot] == tensor);
        }
    }
    return found;
}

/* An operand of a layer at one of its rows. What comes from memory in rows is loaded when the first
 * layer comes to them, all else when it is met first. Loads are no steps of the layer, which could
 * come later than those of others that read the same. */
static struct view operand_view(const struct abreast *a, int layer, int slot, int64_t row) {
    const struct work work = work_for(a->work, layer);
    const struct stripe whole = rows_of_image(0, 0, layer_of(&work)->out.h);
    int index = operand_of(&work, slot);
    const struct tensor *tensor = &work.plan->region->tensors[index];
    if (tensor->producer >= 0 || !tensor->rows_apart) {
        return input_view(&work, slot, 0, &whole);
    }
    const struct view *view = &work.plan->locations[index].view;
    const struct stripe rows = rows_of_bank(a, view, row);
    bool is_met_again = slot > 0 && index == operand_of(&work, 0);
    if (!is_met_again && !is_row_open(a, index, rows.first)) {
        emit_load_looked_up(&work, index, view, &rows);
    }
    return *view;
}

static void emit_row(const struct abreast *a, const struct work *work, int64_t row) {
    const struct layer *layer = layer_of(work);
    const struct stripe whole = rows_of_image(0, 0, layer->out.h);
    struct rows rows = {.stripe = rows_of_image(0, row, row + 1),
                        .end_group = tiling_of(work)->groups};
    for (int slot = 0; slot < (int)layer->input_count; slot++) {
        const struct view all = operand_view(a, work->layer, slot, row);
        rows.in[slot] = row_view(work, slot, &all, row);
    }
    const struct view all = output_view(work, 0, &whole);
    int out = operand_of(work, 2);
    const struct tensor *result = &work->plan->region->tensors[out];
    rows.out = row_view(work, 2, &all, row);
    size_t first = work->stream->count;
    operations_of(layer)->emit(work, &rows);
    if (result->table != NULL && !operations_of(layer)->has_products) {
        const struct area area = all_blocks(work, 0, row, 0, 1, layer->out.w);
        emit_lookup(work, result->table, result->scaling, &rows.out, &rows.out, &area);
    }
    put_tables_last(work->stream, first);
    if (work->plan->locations[out].external) {
        store_row(work, &all, row);
    }
}

/* ---- when it can ---- */

static struct lane *lane_of(const struct abreast *a, int layer) {
    for (int i = 0; i < a->count; i++) {
        if (a->lanes[i].layer == layer) {
            return &a->lanes[i];
        }
    }
    return NULL;
}

/* Has a row of a layer been emitted? It finishes at *ready or before. */
static bool wait_for(const struct abreast *a, int layer, int64_t row, uint64_t *ready) {
    const struct lane *lane = lane_of(a, layer);
    if (lane == NULL || row < 0) {
        return true;
    }
    *ready = weft_max_u64(*ready, lane->finished[row]);
    return lane->finished[row] > 0;
}

/* Is what the row of a lane reads there, and has what it is written over been read? */
static bool can_open(const struct abreast *a, const struct lane *lane, uint64_t *ready) {
    const struct region *region = a->work->plan->region;
    const struct layer *layer = a->work->plan->layers[lane->layer];
    const int *tensors = region->tensors_of[lane->layer];
    bool good = true;
    for (int slot = 0; slot < (int)layer->input_count && good; slot++) {
        good = wait_for(a, region->tensors[tensors[slot]].producer, lane->row, ready);
    }
    for (int i = region->first_user[tensors[2]]; i < region->first_user[tensors[2] + 1] && good;
         i++) {
        int64_t turns = region->tensors[tensors[2]].turns;
        good = turns == 0 || region->users[i] == lane->layer ||
               wait_for(a, region->users[i], lane->row - turns, ready);
    }
    return good;
}

static void open_lane(struct abreast *a, struct lane *lane) {
    uint64_t ready = 1;
    if (lane->is_open || lane->row == a->rows || !can_open(a, lane, &ready)) {
        return;
    }
    struct work work = work_for(a->work, lane->layer);
    lane->stream.count = lane->stream.part_count = lane->at = 0;
    work.stream = &lane->stream;
    emit_row(a, &work, lane->row);
    lane->ready = lane->made = ready;
    lane->is_open = true;
}

/* ---- steps ---- */

static unsigned unit_of(const struct step *step) {
    return step->instruction.opcode == 0 ? WEFT_UNITS
                                         : weft_format_of(step->instruction.opcode)->unit;
}

static int64_t banks_of(const struct abreast *a, const struct step *step) {
    return weft_ceil_div(step->accumulators, (int64_t)weft_acc_bank_entries(a->work->plan->config));
}

/* Can a step have its accumulators? A tile of several banks has all of them: then no other has any.
 */
static bool has_banks(const struct abreast *a, const struct step *step) {
    const struct tiles *tiles = &a->tiles;
    int64_t banks = step->accumulators > 0 ? banks_of(a, step) : 0;
    bool free = banks == 0 || tiles->lane_of[tiles->next] < 0;
    for (int64_t i = 0; i < tiles->banks && banks > 1; i++) {
        free = free && tiles->lane_of[i] < 0;
    }
    return free;
}

/* What it takes to bring another table to LUT. */
static uint64_t table_cycles(const struct weft_config *config) {
    uint64_t entries = 256;
    return entries * config->block / config->memory_width + config->memory_latency;
}

/* When the next step of a lane would start; UINT64_MAX: it cannot. */
static uint64_t start_of(const struct abreast *a, const struct lane *lane) {
    const struct step *step = &lane->stream.steps[lane->at];
    unsigned unit = unit_of(step);
    if (unit != WEFT_UNIT_MATRIX && unit != WEFT_UNIT_VECTOR) {
        return 0;
    }
    if (!has_banks(a, step)) {
        return UINT64_MAX;
    }
    uint64_t ready = unit == WEFT_UNIT_MATRIX ? lane->ready : lane->made;
    if (step->accumulators > 0) {
        ready = weft_max_u64(ready, a->tiles.free[a->tiles.next]);
    }
    if (step->piece_kind == PIECES_LUT && step->piece != a->table) {
        ready = weft_max_u64(ready, a->table_read + table_cycles(a->work->plan->config));
    }
    return weft_max_u64(ready, a->free[unit]);
}

/* Gives a tile its banks. */
static void take_banks(struct abreast *a, int lane, const struct step *step) {
    struct tiles *tiles = &a->tiles;
    bool is_one = banks_of(a, step) == 1;
    for (int64_t i = 0; i < tiles->banks; i++) {
        if (i == tiles->next || !is_one) {
            tiles->lane_of[i] = lane;
        }
    }
    tiles->next = is_one ? (tiles->next + 1) % tiles->banks : 0;
}

/* The tile of a lane has been requantised. */
static void free_banks(struct abreast *a, int lane, uint64_t cycle) {
    struct tiles *tiles = &a->tiles;
    for (int64_t i = 0; i < tiles->banks; i++) {
        if (tiles->lane_of[i] == lane) {
            tiles->lane_of[i] = -1;
            tiles->free[i] = cycle;
        }
    }
}

/* Emits the next step of a lane. */
static void take_step(struct abreast *a, int index, uint64_t start) {
    struct lane *lane = &a->lanes[index];
    const struct step *step = &lane->stream.steps[lane->at++];
    const struct weft_config *config = a->work->plan->config;
    unsigned unit = unit_of(step);
    stream_add(a->work->stream, step);
    if (unit == WEFT_UNIT_MATRIX) {
        if (step->accumulators > 0) {
            take_banks(a, index, step);
        }
        a->free[unit] = start + weft_matrix_duration(config, &step->instruction.matrix).stream;
        lane->made = weft_max_u64(lane->made, a->free[unit] + WEFT_MATRIX_DRAIN);
    } else if (unit == WEFT_UNIT_VECTOR) {
        const struct weft_vector_duration duration =
            weft_vector_duration(config, &step->instruction.vector);
        a->free[unit] = start + duration.slots + duration.drain;
        lane->made = a->free[unit];
        if (step->piece_kind == PIECES_LUT) {
            a->table = step->piece;
            a->table_read = lane->made;
        }
        if (step->instruction.vector.function == WEFT_FUNCTION_REQUANT) {
            free_banks(a, index, lane->made);
        }
    }
    if (lane->at == lane->stream.count) {
        lane->finished[lane->row++] = lane->made;
        lane->is_open = false;
    }
}

/* Of two steps that could start at the same time: should that of a lane come before the best one so
 * far? MATRIX waits for VECTOR's requantising, and VECTOR for what MATRIX has to do between its own
 * steps, so the short one goes first. */
static bool comes_before(const struct lane *lane, const struct lane *best) {
    unsigned unit = unit_of(&lane->stream.steps[lane->at]);
    return unit == WEFT_UNIT_MATRIX ? lane->weight < best->weight : lane->weight > best->weight;
}

/* Products that could start now wait a little for what VECTOR waits for. */
static int64_t put_off(const struct abreast *a, const struct lane *lane) {
    enum {
        PUT_OFF = 256 /* cycles */
    };
    bool is_product = unit_of(&lane->stream.steps[lane->at]) == WEFT_UNIT_MATRIX;
    return cut_of(a->work->plan, lane->layer)->put_off +
           (is_product && lane->weight > 0 ? PUT_OFF : 0);
}

/* Emits what would start first; false: there is nothing left. */
static bool emit_next(struct abreast *a) {
    int best = -1;
    int64_t best_key = INT64_MAX;
    for (int i = 0; i < a->count; i++) {
        struct lane *lane = &a->lanes[i];
        open_lane(a, lane);
        uint64_t start = lane->is_open ? start_of(a, lane) : UINT64_MAX;
        if (start == UINT64_MAX) {
            continue;
        }
        int64_t key = (int64_t)start + put_off(a, lane);
        if (key < best_key || (key == best_key && comes_before(lane, &a->lanes[best]))) {
            best = i;
            best_key = key;
        }
    }
    if (best >= 0) {
        take_step(a, best, start_of(a, &a->lanes[best]));
    }
    return best >= 0;
}

static int weight_of(const struct region *region, int layer) {
    bool comes_back = gatherer_of(region, region->tensors_of[layer][2]) >= 0;
    return !is_heavy(region, layer) ? 0 : comes_back ? 1 : 2;
}

int emit_abreast(const struct work *work, const struct run *run) {
    const struct plan *plan = work->plan;
    struct abreast a = {.work = work, .rows = plan->region->parts};
    a.table = -1;
    a.tiles.banks = weft_banks(plan->config, WEFT_MEMORY_ACC);
    a.lanes =
        WEFT_NEW_ARRAY(work->stream->arena, (size_t)(run->last - run->first) + 1, struct lane);
    for (int i = 0; i < MOST_ACC_BANKS; i++) {
        a.tiles.lane_of[i] = -1;
    }
    for (int i = run->first; i >= 0 && i <= run->last; i = next_busy_layer(plan->region, i)) {
        a.lanes[a.count++] = (struct lane){
            .layer = i,
            .weight = weight_of(plan->region, i),
            .stream.arena = work->stream->arena,
            .finished = WEFT_NEW_ARRAY(work->stream->arena, (size_t)a.rows, uint64_t)};
    }
    while (emit_next(&a)) {
    }
    return run->last;
}
