/* Banks of WGT, PAR, LUT and ACC: who holds what. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/emit.h"
#include "isa/coding.h"

/* What a bank of WGT, PAR or LUT holds; the same for each bank of a piece that is larger than one.
 */
struct slot {
    int first_piece, piece_count;
    uint64_t used;  /* when last, in emitted instructions */
    size_t needed;  /* the last step that uses a piece of it */
    int64_t stored; /* bytes of the LOAD that brought it, for each of its banks */
};
enum {
    MAX_SLOTS = 32
};

/* The first of the accumulators of each of the two tiles of a layer that are made together. */
struct accumulators {
    int64_t of_tile[2];
};

struct assigning {
    const struct plan *plan;
    const struct stream *stream;
    struct program *program;
    struct slot slots[PIECES][MAX_SLOTS];
    int64_t *address[PIECES]; /* by piece: in its memory, or -1 while it is not there */
    size_t *last_use[PIECES]; /* by piece: the last step that uses it */
    size_t step;              /* the number of the one that is assigned */
    int64_t group;            /* of images, that it belongs to */
    int64_t next_acc_bank;
    struct accumulators *acc; /* by layer: of its steps */
    int first_layer;          /* that does anything */
    struct weft_error *error;
};

/* ---- pieces ---- */

static enum weft_memory memory_of(int kind) {
    static const enum weft_memory memories[PIECES] = {WEFT_MEMORY_WGT, WEFT_MEMORY_PAR,
                                                      WEFT_MEMORY_LUT};
    return memories[kind];
}

static uint32_t target_of(int kind) {
    static const uint32_t targets[PIECES] = {WEFT_TARGET_WGT, WEFT_TARGET_PAR, WEFT_TARGET_LUT};
    return targets[kind];
}

/* Makes a LOAD of pieces one of coded weights. Whatever the last unit is, the beat that follows its
 * last plane is one of the two behind the beat that it ends before or in. */
static void set_coded(const struct weft_config *config, const struct piece *first,
                      const struct piece *last, int64_t bytes, struct weft_load_fields *load) {
    int64_t width = config->memory_width;
    int64_t end = last->offset + last->stored;
    load->run = (uint32_t)((end / width + 2) * width - first->offset);
    load->units = (uint32_t)(bytes / weft_unit_weights(config));
    load->base = first->base < 128 ? first->base : (int32_t)first->base - 256;
}

/* A level of a LOAD. */
static void set_level(struct weft_load_fields *load, int level, int64_t count,
                      int64_t address_stride, int64_t local_stride) {
    load->count[level] = (uint32_t)count;
    load->address_stride[level] = (int32_t)address_stride;
    load->local_stride[level] = (int32_t)local_stride;
}

/* Fills tiles with bytes that count as no weight. */
static bool load_padding(struct assigning *a, int layer, const struct piece *piece,
                         int64_t address) {
    int64_t tile = (int64_t)a->plan->config->block * a->plan->config->block;
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    load.load.memory = WEFT_TARGET_WGT;
    load.load.region = WEFT_REGION_CONSTANTS;
    load.load.address = (uint32_t)a->plan->pieces[PIECES_PAR][piece->gathered->padding].offset;
    load.load.local = (uint32_t)address;
    load.load.run = (uint32_t)tile;
    set_level(&load.load, 2, piece->bytes / tile, 0, tile);
    return append_instruction(a->plan, a->program, &load, layer, a->error);
}

/* Loads so many outputs of neighbouring blocks, `lanes` of each, from output `first` on: runs of
 * them where they are neighbours in memory, else byte by byte. */
static bool load_lanes(struct assigning *a, int layer, const struct gathered *g, int64_t address,
                       int64_t first, int64_t blocks, int64_t lanes) {
    const struct place place = place_of(a->plan, a->group, g->tensor);
    int64_t block = a->plan->config->block;
    int64_t input = g->transposed ? 1 : place.pixel;
    int64_t output = g->transposed ? place.pixel : 1;
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    load.load.memory = WEFT_TARGET_WGT;
    load.load.region = place.region;
    load.load.address =
        (uint32_t)(place.offset + g->begin[0] * place.image + g->begin[1] * place.row +
                   g->begin[3] + g->first_input * input + (g->first_output + first) * output);
    load.load.local = (uint32_t)(address + first * g->tiles * block);
    load.load.run = g->transposed ? 1 : (uint32_t)lanes;
    set_level(&load.load, 0, blocks, block * output, g->tiles * block * block);
    set_level(&load.load, 1, g->inputs, input, block);
    set_level(&load.load, 2, g->transposed ? lanes : 1, output, 1);
    return append_instruction(a->plan, a->program, &load, layer, a->error);
}

/* Loads a piece that is a part of a tensor. */
static bool gather(struct assigning *a, int layer, const struct piece *piece, int64_t address) {
    const struct gathered *g = piece->gathered;
    int64_t block = a->plan->config->block;
    int64_t whole = g->outputs / block;
    int64_t rest = g->outputs % block;
    return (g->padding < 0 || load_padding(a, layer, piece, address)) &&
           (whole == 0 || load_lanes(a, layer, g, address, 0, whole, block)) &&
           (rest == 0 || load_lanes(a, layer, g, address, whole * block, 1, rest));
}

static bool load_pieces(struct assigning *a, int layer, int kind, int first, int count,
                        int64_t address) {
    const struct piece *pieces = a->plan->pieces[kind];
    bool good = true;
    if (pieces[first].gathered != NULL) {
        for (int i = first; i < first + count && good; i++) {
            a->address[kind][i] = address;
            good = gather(a, layer, &pieces[i], address);
            address += pieces[i].bytes;
        }
        return good;
    }
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    int64_t bytes = 0;
    for (int i = first; i < first + count; i++) {
        a->address[kind][i] = address + bytes;
        bytes += pieces[i].bytes;
    }
    load.load.memory = target_of(kind);
    load.load.region = WEFT_REGION_CONSTANTS;
    load.load.address = (uint32_t)pieces[first].offset;
    load.load.local = (uint32_t)address;
    load.load.run = (uint32_t)bytes;
    if (kind == PIECES_WGT && a->plan->coded) {
        set_coded(a->plan->config, &pieces[first], &pieces[first + count - 1], bytes, &load.load);
    }
    return append_instruction(a->plan, a->program, &load, layer, a->error);
}

/* Does a bank have what is used again? */
static bool is_needed(const struct slot *slot, size_t step) {
    return slot->piece_count > 0 && slot->needed >= step;
}

/* Banks that have what is used again and took longer to load than a bank, or as long and come
 * before it. */
static int64_t count_longer(const struct assigning *a, int kind, int slot) {
    const struct slot *slots = a->slots[kind];
    int64_t count = 0;
    for (int i = 0; i < MAX_SLOTS; i++) {
        count +=
            is_needed(&slots[i], a->step) && (slots[i].stored > slots[slot].stored ||
                                              (slots[i].stored == slots[slot].stored && i < slot));
    }
    return count;
}

/* Does a bank keep what it has? */
static bool is_kept(const struct assigning *a, int kind, int slot) {
    const struct decisions *decisions = a->plan->decisions;
    if (kind != PIECES_WGT || !is_needed(&a->slots[kind][slot], a->step)) {
        return false;
    }
    return (decisions->keep_longest ? count_longer(a, kind, slot) : slot) < decisions->kept_banks;
}

/* The first of `banks` neighbouring slots whose last use is longest ago, none of which is kept, if
 * there are such. */
static int oldest_slots(const struct assigning *a, int kind, int banks) {
    int all = (int)weft_banks(a->plan->config, memory_of(kind));
    int best = 0;
    uint64_t best_used = UINT64_MAX;
    for (int first = 0; first + banks <= all; first++) {
        uint64_t used = 0;
        for (int i = first; i < first + banks; i++) {
            bool is_last = is_kept(a, kind, i);
            used = weft_max_u64(used, is_last ? UINT64_MAX - 1 : a->slots[kind][i].used);
        }
        if (used < best_used) {
            best_used = used;
            best = first;
        }
    }
    return best;
}

/* What a bank holds goes, from all banks that it is in. */
static void empty_slot(struct assigning *a, int kind, const struct slot *slot) {
    const struct slot held = *slot;
    if (held.piece_count == 0) {
        return;
    }
    for (int i = held.first_piece; i < held.first_piece + held.piece_count; i++) {
        a->address[kind][i] = -1;
    }
    for (int i = 0; i < MAX_SLOTS; i++) {
        struct slot *other = &a->slots[kind][i];
        other->piece_count = other->first_piece == held.first_piece ? 0 : other->piece_count;
    }
}

/* Pieces of so few bytes together that waiting for all of them costs less than another LOAD. */
enum {
    SMALL_LOAD = 2048
};

/* Bytes in the constants region of so many pieces. */
static int64_t stored_bytes(const struct assigning *a, int kind, int piece, int count) {
    const struct piece *pieces = &a->plan->pieces[kind][piece];
    return pieces[count - 1].offset + pieces[count - 1].stored - pieces[0].offset;
}

/* Bytes of all pieces from `piece` on. */
static int64_t bytes_left(const struct assigning *a, int kind, int piece) {
    return stored_bytes(a, kind, piece, a->plan->piece_count[kind] - piece);
}

/* How many pieces of a tensor from `piece` on come into one bank. */
static int gathered_together(const struct assigning *a, int piece, int64_t room) {
    const struct piece *pieces = a->plan->pieces[PIECES_WGT];
    const struct gathered *first = pieces[piece].gathered;
    int count = 1;
    int64_t bytes = pieces[piece].bytes;
    room = weft_min(room, first->together);
    for (int i = piece + 1; i < a->plan->piece_count[PIECES_WGT]; i++) {
        const struct gathered *next = pieces[i].gathered;
        bytes += pieces[i].bytes;
        if (next == NULL || next->tensor != first->tensor ||
            memcmp(next->begin, first->begin, sizeof next->begin) != 0 ||
            a->address[PIECES_WGT][i] >= 0 || bytes > room) {
            break;
        }
        count++;
    }
    return count;
}

/* Weights of neighbouring layers abreast that are not heavy are few, and used again and again: they
 * come together with those of the first of them. The first piece that does not; 0: none do. */
static int end_of_light(const struct plan *plan, int layer) {
    const struct region *region = plan->region;
    int end = layer + 1;
    if (!is_abreast(region, layer) || is_heavy(region, layer)) {
        return 0;
    }
    while (end <= region->runs[layer].last &&
           (layer_is_idle(region, end) || !is_heavy(region, end))) {
        end++;
    }
    return end < region->layer_count ? plan->first_weights[end] : plan->piece_count[PIECES_WGT];
}

/* Where layers share pieces: has this one been used for the last time? One that no step uses never
 * is. */
static bool is_over(const struct assigning *a, int kind, int piece) {
    size_t last = a->last_use[kind][piece];
    return a->plan->region->weights_of != NULL && last > 0 && last < a->step;
}

/* How many pieces from `piece` on one LOAD brings: as many as fit the banks, but not those of the
 * next layer, which would only keep this one waiting, unless they are small. The first layer of all
 * waits for nothing but what it needs first; nothing is left to be done while the last LOADs of all
 * are on their way, so each may bring half of what is left. */
static int pieces_in_load(const struct assigning *a, int layer, int kind, int piece, int64_t room) {
    const struct plan *plan = a->plan;
    const struct piece *pieces = plan->pieces[kind];
    bool first = layer <= a->first_layer;
    int next = kind == PIECES_WGT ? plan->end_weights[layer] : plan->end_parameters[layer];
    int light = kind == PIECES_WGT ? end_of_light(plan, layer) : 0;
    int count = 1;
    int64_t bytes = pieces[piece].bytes;
    if (pieces[piece].gathered != NULL) {
        return gathered_together(a, piece, room);
    }
    if (plan->decisions->halve_loads) {
        room = weft_min(room, weft_max(SMALL_LOAD, bytes_left(a, kind, piece) / 2));
    }
    while (piece + count < plan->piece_count[kind] && pieces[piece + count].gathered == NULL &&
           a->address[kind][piece + count] < 0 && bytes + pieces[piece + count].bytes <= room &&
           !is_over(a, kind, piece + count) &&
           (!plan->coded || pieces[piece + count].base == pieces[piece].base)) {
        bool of_next = piece + count >= next;
        if (piece + count < light) {
            /* all of these */
        } else if (kind == PIECES_WGT
                       ? (of_next || first) && bytes + pieces[piece + count].bytes > SMALL_LOAD
                       : of_next && first) {
            break;
        }
        bytes += pieces[piece + count].bytes;
        count++;
    }
    return count;
}

/* Loads a piece and some of those that will be used after it into the banks that were used longest
 * ago. */
static bool bring(struct assigning *a, int layer, int kind, int piece) {
    int64_t bank = weft_bank_bytes(a->plan->config, memory_of(kind));
    int banks = (int)weft_ceil_div(a->plan->pieces[kind][piece].bytes, bank);
    int64_t room = weft_bank_bytes(&a->plan->as_if, memory_of(kind));
    room = weft_round_up(a->plan->pieces[kind][piece].bytes, room);
    int count = pieces_in_load(a, layer, kind, piece, room);
    int first = oldest_slots(a, kind, banks);
    for (int i = first; i < first + banks; i++) {
        empty_slot(a, kind, &a->slots[kind][i]);
    }
    size_t needed = 0;
    for (int i = piece; i < piece + count; i++) {
        needed = a->last_use[kind][i] > needed ? a->last_use[kind][i] : needed;
    }
    for (int i = first; i < first + banks; i++) {
        struct slot *slot = &a->slots[kind][i];
        slot->first_piece = piece;
        slot->piece_count = count;
        slot->needed = needed;
        slot->stored = stored_bytes(a, kind, piece, count) / banks;
    }
    return load_pieces(a, layer, kind, piece, count, first * bank);
}

/* Has a piece brought when it is not there. */
static bool use_piece(struct assigning *a, const struct step *step) {
    int kind = step->piece_kind;
    int64_t *address = &a->address[kind][step->piece];
    if (*address < 0 && !bring(a, step->layer, kind, step->piece)) {
        return false;
    }
    int64_t bank = weft_bank_bytes(a->plan->config, memory_of(kind));
    int64_t end = *address + a->plan->pieces[kind][step->piece].bytes;
    for (int64_t at = *address / bank; at * bank < end; at++) {
        a->slots[kind][at].used = a->program->count + 1;
    }
    return true;
}

/* ---- accumulators ---- */

/* The first of `entries` accumulators, for a layer, in banks that were used longest ago. The last
 * bank is that which is kept. */
static int64_t use_accumulators(struct assigning *a, int layer, int64_t entries) {
    int64_t bank = weft_acc_bank_entries(a->plan->config);
    int64_t all = weft_banks(a->plan->config, WEFT_MEMORY_ACC) - keeps_accumulators(a->plan, layer);
    int64_t banks = weft_ceil_div(entries, bank);
    int64_t first = a->next_acc_bank;
    if (first + banks > all) {
        first = 0;
    }
    a->next_acc_bank = (first + banks) % all;
    return first * bank;
}

/* ---- steps ---- */

/* Says where the constants and accumulators of an instruction are; MATRIX, and VECTOR of
 * parameters, say where they begin in them. */
static void set_addresses(const struct assigning *a, const struct step *step,
                          struct weft_instruction *instruction) {
    int64_t piece = step->piece_kind == NO_PIECE ? 0 : a->address[step->piece_kind][step->piece];
    const struct weft_config *config = a->plan->config;
    int64_t kept = (int64_t)weft_acc_entries(config) - (int64_t)weft_acc_bank_entries(config);
    int64_t acc = step->accumulators < 0 ? kept - 1 - step->accumulators
                                         : a->acc[step->layer].of_tile[step->tile];
    if (instruction->opcode == WEFT_OPCODE_MATRIX) {
        instruction->matrix.wgt += (uint32_t)piece;
        instruction->matrix.acc += (uint32_t)acc;
    }
    if (instruction->opcode == WEFT_OPCODE_VECTOR && step->piece_kind == PIECES_PAR) {
        instruction->vector.par += (uint32_t)(piece / a->plan->config->block);
    }
    if (instruction->opcode == WEFT_OPCODE_VECTOR &&
        instruction->vector.function == WEFT_FUNCTION_REQUANT) {
        instruction->vector.a = (uint32_t)acc;
    }
}

/* Notes which steps use pieces last: of all of them, or of those of the group that begins here. */
static void note_last_uses(struct assigning *a) {
    for (size_t i = a->step; i < a->stream->count; i++) {
        const struct step *step = &a->stream->steps[i];
        if (a->plan->decisions->keep_in_group && step->group != a->group) {
            break;
        }
        if (step->piece_kind != NO_PIECE) {
            a->last_use[step->piece_kind][step->piece] = i;
        }
    }
}

/* What a tensor had for one group of images is not what it has for the next. */
static void begin_group(struct assigning *a, int64_t group) {
    const struct piece *pieces = a->plan->pieces[PIECES_WGT];
    for (int slot = 0; slot < MAX_SLOTS; slot++) {
        struct slot *s = &a->slots[PIECES_WGT][slot];
        if (s->piece_count > 0 && pieces[s->first_piece].gathered != NULL) {
            empty_slot(a, PIECES_WGT, s);
        }
    }
    a->group = group;
    if (a->plan->decisions->keep_in_group) {
        note_last_uses(a);
    }
}

static bool assign(struct assigning *a, const struct step *step) {
    struct weft_instruction instruction = step->instruction;
    if (step->group != a->group) {
        begin_group(a, step->group);
    }
    if (step->accumulators > 0) {
        a->acc[step->layer].of_tile[step->tile] =
            use_accumulators(a, step->layer, step->accumulators);
    }
    if (step->piece_kind != NO_PIECE && !use_piece(a, step)) {
        return false;
    }
    if (instruction.opcode == 0) {
        return true;
    }
    set_addresses(a, step, &instruction);
    return append_instruction(a->plan, a->program, &instruction, step->layer, a->error);
}

static void start(struct assigning *a) {
    const struct plan *plan = a->plan;
    for (int kind = 0; kind < PIECES; kind++) {
        a->address[kind] = WEFT_NEW_ARRAY(plan->arena, (size_t)plan->piece_count[kind], int64_t);
        for (int i = 0; i < plan->piece_count[kind]; i++) {
            a->address[kind][i] = -1;
        }
        a->last_use[kind] = WEFT_NEW_ARRAY(plan->arena, (size_t)plan->piece_count[kind], size_t);
    }
    a->acc = WEFT_NEW_ARRAY(plan->arena, (size_t)plan->region->layer_count, struct accumulators);
    note_last_uses(a);
    while (a->first_layer < plan->region->layer_count && is_done(plan->region, a->first_layer)) {
        a->first_layer++;
    }
}

bool assign_banks(const struct plan *plan, const struct stream *stream, struct program *program,
                  struct weft_error *error) {
    struct assigning a = {.plan = plan, .stream = stream, .program = program, .error = error};
    bool good = true;
    start(&a);
    for (size_t i = 0; i < stream->count && good; i++) {
        a.step = i;
        good = assign(&a, &stream->steps[i]);
    }
    return good;
}
