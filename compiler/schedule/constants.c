/* Weights and parameters in the form that the machine reads. */
#include <string.h>

#include "base/bytes.h"
#include "base/integer.h"
#include "compiler/schedule/segment.h"

/* The next piece of a kind: planned, or, when they are filled in the same order, its zeroed bytes.
 * NULL while they are planned. */
static uint8_t *add_piece(struct segment *segment, int kind, int64_t bytes) {
    int64_t unit = kind == PIECES_WGT ? 2 * segment->config->block : segment->config->block;
    struct piece **pieces = &segment->pieces[kind];
    if (segment->is_filling) {
        struct piece *piece = &(*pieces)[segment->filled[kind]++];
        uint8_t *data = WEFT_NEW_ARRAY(segment->arena, (size_t)piece->bytes, uint8_t);
        piece->data = data;
        return data;
    }
    *pieces = weft_arena_grow(segment->arena, *pieces, (size_t)segment->piece_count[kind],
                              &segment->piece_capacity[kind], sizeof **pieces);
    (*pieces)[segment->piece_count[kind]++] =
        (struct piece){.bytes = weft_round_up(bytes, unit), .address = -1};
    return NULL;
}

/* ---- weights ---- */

/* The weight between input channel c and output channel o at (row, column) of the window;
 * weight_zero, which counts as nothing, where there is none. */
static int8_t weight_at(const struct layer *layer, int64_t o, int64_t row, int64_t column,
                        int64_t c) {
    int64_t inputs = layer->in.c / layer->groups;
    int64_t outputs = layer->out.c / layer->groups;
    if (o >= layer->out.c || row >= layer->kernel[0] || column >= layer->kernel[1] || c < 0 ||
        c >= layer->in.c || c / inputs != o / outputs) {
        return (int8_t)layer->weight_zero;
    }
    int64_t index =
        ((o * layer->kernel[0] + row) * layer->kernel[1] + column) * inputs + c % inputs;
    return layer->weights[index];
}

int64_t first_input_block(const struct segment *segment, const struct layer *layer,
                          const struct tiling *tiling, int64_t out_block) {
    if (layer->groups == 1) {
        return 0;
    }
    int64_t inputs = layer->in.c / layer->groups;
    int64_t outputs = layer->out.c / layer->groups;
    int64_t first = out_block * segment->config->block / outputs * inputs / segment->config->block;
    return weft_min(first, blocks_of(segment, layer->in.c) - tiling->input_blocks);
}

/* A dense tile: row j of it belongs to input lane j, lane n to output channel n of the block. */
static void dense_tile(const struct segment *segment, const struct layer *layer, bool packed,
                       const struct tiling *tiling, int64_t out_block, const int64_t step[3],
                       uint8_t *tile) {
    int64_t block = segment->config->block;
    int64_t pitch = 0;
    if (packed) {
        int input = segment->tensors_of[layer - segment->layers][0];
        pitch = view_pitch(segment, &segment->tensors[input]) * layer->dilation[0];
    }
    for (int64_t j = 0; j < block; j++) {
        int64_t row = step[1];
        int64_t column = step[2];
        int64_t c = step[0] * block + j;
        if (packed) {
            /* Lane j is byte `at` of a row of the window: column at / C, channel at % C. */
            int64_t at = step[2] * block + j;
            int64_t row_in_step = tiling->rows_a_step > 1 ? at / pitch : 0;
            at -= row_in_step * pitch;
            row = row_in_step < tiling->rows_a_step ? step[1] * tiling->rows_a_step + row_in_step
                                                    : layer->kernel[0];
            column = at / layer->in.c;
            c = at % layer->in.c;
        }
        for (int64_t n = 0; n < block; n++) {
            tile[j * block + n] = (uint8_t)weight_at(layer, out_block * block + n, row, column, c);
        }
    }
}

/* The pieces of a group of output blocks, chunk by chunk. Each holds, for each block, the tiles of
 * its steps in loop order. */
static void dense_group(struct segment *segment, int index, int64_t group) {
    const struct layer *layer = &segment->layers[index];
    const struct tiling *t = &segment->tilings[index];
    bool packed = segment->tensors[segment->tensors_of[index][0]].packed;
    int64_t tile_bytes = (int64_t)segment->config->block * segment->config->block;
    int64_t first = group * t->blocks;
    int64_t blocks = weft_min(t->blocks, blocks_of(segment, layer->out.c) - first);
    int64_t at[3];
    for (at[0] = 0; at[0] < t->input_blocks; at[0] += t->chunk[0]) {
        for (at[1] = 0; at[1] < t->row_steps; at[1] += t->chunk[1]) {
            for (at[2] = 0; at[2] < t->column_steps; at[2] += t->chunk[2]) {
                int64_t size[3] = {weft_min(t->chunk[0], t->input_blocks - at[0]),
                                   weft_min(t->chunk[1], t->row_steps - at[1]),
                                   weft_min(t->chunk[2], t->column_steps - at[2])};
                int64_t tiles = size[0] * size[1] * size[2];
                uint8_t *to = add_piece(segment, PIECES_WGT, blocks * tiles * tile_bytes);
                for (int64_t i = 0; to != NULL && i < blocks * tiles; i++, to += tile_bytes) {
                    int64_t k = i % tiles;
                    int64_t block = first + i / tiles;
                    int64_t step[3] = {at[0] + k / (size[1] * size[2]) +
                                           first_input_block(segment, layer, t, block),
                                       at[1] + k / size[2] % size[1], at[2] + k % size[2]};
                    dense_tile(segment, layer, packed, t, block, step, to);
                }
            }
        }
    }
}

/* The pieces of a group of channel blocks, part by part. Each holds, for each block and group of
 * rows and columns, one line for each tap; see sim/exec/matrix.c for the order of taps. */
static void depthwise_group(struct segment *segment, int index, int64_t group) {
    const struct layer *layer = &segment->layers[index];
    const struct tiling *t = &segment->tilings[index];
    int64_t block = segment->config->block;
    int64_t first = group * t->blocks;
    int64_t blocks = weft_min(t->blocks, blocks_of(segment, layer->out.c) - first);
    for (int i = 0; i < t->part_count; i++) {
        const struct window_part *part = &t->parts[i];
        int64_t taps = part->rows * part->columns;
        int64_t tiles = part->row_groups * part->column_groups;
        uint8_t *to = add_piece(segment, PIECES_WGT, blocks * tiles * taps * block);
        for (int64_t k = 0; to != NULL && k < blocks * tiles * taps; k++, to += block) {
            int64_t tap = k % taps;
            int64_t tile = k / taps % tiles;
            int64_t channel = (first + k / taps / tiles) * block;
            int64_t row =
                part->first_row + tile / part->column_groups * part->rows + tap % part->rows;
            int64_t column = part->first_column + tile % part->column_groups * part->columns +
                             part->columns - 1 - tap / part->rows;
            for (int64_t n = 0; n < block; n++) {
                to[n] = (uint8_t)weight_at(layer, channel + n, row, column, channel + n);
            }
        }
    }
}

/* ---- parameters ---- */

/* REQUANT records of a group of channel blocks. */
static void requant_group(struct segment *segment, int index, int64_t group) {
    const struct layer *layer = &segment->layers[index];
    const struct requant *requant = &layer->requant;
    int64_t block = segment->config->block;
    int64_t record = weft_requant_record_lines(requant->per_channel) * block;
    int64_t first = group * segment->tilings[index].blocks;
    int64_t blocks =
        weft_min(segment->tilings[index].blocks, blocks_of(segment, layer->out.c) - first);
    uint8_t *to = add_piece(segment, PIECES_PAR, blocks * record);
    for (int64_t k = 0; to != NULL && k < blocks; k++, to += record) {
        for (int64_t lane = 0; lane < block; lane++) {
            int64_t o = (first + k) * block + lane;
            if (o >= layer->out.c) {
                continue;
            }
            weft_write_u32(to + 4 * lane, (uint32_t)layer->bias[o]);
            if (requant->per_channel) {
                weft_write_u32(to + 4 * (block + lane), (uint32_t)requant->multiplier[o]);
                to[8 * block + lane] = (uint8_t)requant->shift[o];
            }
        }
    }
}

static void sum_record(struct segment *segment, const struct layer *layer) {
    uint8_t *to = add_piece(segment, PIECES_PAR, WEFT_SUM_RECORD_BYTES);
    for (int i = 0; to != NULL && i < 3; i++) {
        weft_write_u32(to + 4 * (size_t)i, (uint32_t)layer->multiplier[i]);
        to[12 + i] = (uint8_t)layer->shift[i];
    }
}

/* ---- functions of one byte ---- */

int table_piece(const struct segment *segment, const uint8_t *table) {
    for (int i = 0; i < segment->piece_count[PIECES_LUT]; i++) {
        if (memcmp(segment->pieces[PIECES_LUT][i].table, table, 256) == 0) {
            return i;
        }
    }
    return -1;
}

static void plan_table(struct segment *segment, const uint8_t *table) {
    if (!segment->is_filling && table_piece(segment, table) < 0) {
        (void)add_piece(segment, PIECES_LUT, 256 * (int64_t)segment->config->block);
        segment->pieces[PIECES_LUT][segment->piece_count[PIECES_LUT] - 1].table = table;
    }
}

/* Every lane looks up the same function. */
static void fill_tables(struct segment *segment) {
    size_t lanes = segment->config->block;
    for (int i = 0; i < segment->piece_count[PIECES_LUT]; i++) {
        const uint8_t *table = segment->pieces[PIECES_LUT][i].table;
        uint8_t *to = add_piece(segment, PIECES_LUT, 256 * (int64_t)lanes);
        for (size_t b = 0; b < 256; b++) {
            memset(to + b * lanes, table[b], lanes);
        }
    }
}

/* ---- all layers ---- */

/* Unit weights for the largest window of an average pool, or as many as fit a bank; every smaller
 * one uses the beginning. */
static void unit_weights(struct segment *segment, const struct layer *layer) {
    int64_t bytes = layer->kernel[0] * layer->kernel[1] * segment->config->block;
    bytes = weft_min(bytes, weft_bank_bytes(segment->config, WEFT_MEMORY_WGT));
    uint8_t *to = add_piece(segment, PIECES_WGT, bytes);
    if (to != NULL) {
        memset(to, 1, (size_t)bytes);
    }
}

/* A REQUANT record for each number of elements that a window can have, or one for all. */
static void average_records(struct segment *segment, const struct layer *layer) {
    int64_t lanes = segment->config->block;
    int64_t most = layer->kernel[0] * layer->kernel[1];
    for (int64_t taps = most - average_record(layer, most); taps <= most; taps++) {
        uint8_t *to = add_piece(segment, PIECES_PAR, weft_requant_record_lines(false) * lanes);
        for (int64_t lane = 0; to != NULL && lane < lanes; lane++) {
            weft_write_u32(to + 4 * lane, (uint32_t)average_bias(layer, taps));
        }
    }
}

static void pack_layer(struct segment *segment, int index) {
    const struct layer *layer = &segment->layers[index];
    switch (layer->kind) {
    case LAYER_CONV:
    case LAYER_DEPTHWISE:
        for (int64_t group = 0; group < segment->tilings[index].groups; group++) {
            if (layer->kind == LAYER_CONV) {
                dense_group(segment, index, group);
            } else {
                depthwise_group(segment, index, group);
            }
            requant_group(segment, index, group);
        }
        break;
    case LAYER_AVGPOOL:
        unit_weights(segment, layer);
        average_records(segment, layer);
        break;
    case LAYER_BINARY:
        if (layer->function == WEFT_FUNCTION_ADD || layer->function == WEFT_FUNCTION_SUB) {
            sum_record(segment, layer);
        }
        break;
    case LAYER_TABLE:
        plan_table(segment, layer->table);
        break;
    case LAYER_MAXPOOL:
    case LAYER_RESIZE:
    case LAYER_PLACE:
    case LAYER_SLICE:
    case LAYER_PAD:
    case LAYER_RESHAPE:
        break;
    }
}

static int64_t place_tensors(struct segment *segment, int64_t offset) {
    for (int t = 0; t < segment->tensor_count; t++) {
        struct tensor *tensor = &segment->tensors[t];
        if (tensor->constant != NULL) {
            tensor->region = WEFT_REGION_CONSTANTS;
            tensor->offset = offset;
            offset += tensor_bytes(tensor);
            offset = weft_round_up(offset, segment->config->memory_burst);
        }
    }
    return offset;
}

void constants_plan(struct segment *segment) {
    for (int i = 0; i < segment->layer_count; i++) {
        segment->first_weights[i] = segment->piece_count[PIECES_WGT];
        segment->first_parameters[i] = segment->piece_count[PIECES_PAR];
        pack_layer(segment, i);
    }
    for (int t = 0; t < segment->tensor_count; t++) {
        if (segment->tensors[t].table != NULL) {
            plan_table(segment, segment->tensors[t].table);
        }
    }
    /* Pieces of one memory lie together in the order of their first use, so that one LOAD can bring
     * several. */
    int64_t offset = 0;
    for (int kind = 0; kind < PIECES; kind++) {
        for (int i = 0; i < segment->piece_count[kind]; i++) {
            segment->pieces[kind][i].offset = offset;
            offset += segment->pieces[kind][i].bytes;
        }
        offset = weft_round_up(offset, segment->config->memory_burst);
    }
    segment->constant_bytes = place_tensors(segment, offset);
}

void constants_fill(struct segment *segment) {
    segment->is_filling = true;
    for (int i = 0; i < segment->layer_count; i++) {
        pack_layer(segment, i);
    }
    fill_tables(segment);
}
