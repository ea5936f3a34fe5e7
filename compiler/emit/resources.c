/* Banks of WGT, PAR, LUT and ACC: who holds what. */
#include "base/integer.h"
#include "compiler/emit/emit.h"

/* What a bank of WGT, PAR or LUT holds. */
struct slot {
    int first_piece, piece_count;
    uint64_t used; /* when last, in emitted instructions */
};
enum {
    MAX_SLOTS = 32
};

struct assigning {
    const struct plan *plan;
    struct program *program;
    struct slot slots[PIECES][MAX_SLOTS];
    int64_t *address[PIECES]; /* by piece: in its memory, or -1 while it is not there */
    int64_t next_acc_bank;
    int64_t acc;     /* the first of the accumulators of the step */
    int first_layer; /* that does anything */
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

static bool load_pieces(struct assigning *a, int layer, int kind, int first, int count,
                        int64_t address) {
    const struct piece *pieces = a->plan->pieces[kind];
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
    return append_instruction(a->plan, a->program, &load, layer, a->error);
}

/* The first of `banks` neighbouring slots whose last use is longest ago. Of a piece in several
 * banks, which are used together, the first bank goes first, and with it the piece. */
static int oldest_slots(const struct assigning *a, int kind, int banks) {
    int all = (int)weft_banks(a->plan->config, memory_of(kind));
    int best = 0;
    uint64_t best_used = UINT64_MAX;
    for (int first = 0; first + banks <= all; first++) {
        uint64_t used = 0;
        for (int i = first; i < first + banks; i++) {
            used = weft_max_u64(used, a->slots[kind][i].used);
        }
        if (used < best_used) {
            best_used = used;
            best = first;
        }
    }
    return best;
}

static void empty_slot(struct assigning *a, int kind, struct slot *slot) {
    for (int i = slot->first_piece; i < slot->first_piece + slot->piece_count; i++) {
        a->address[kind][i] = -1;
    }
    slot->piece_count = 0;
}

/* Pieces of so few bytes together that waiting for all of them costs less than another LOAD. */
enum {
    SMALL_LOAD = 2048
};

/* Bytes of all pieces from `piece` on. */
static int64_t bytes_left(const struct assigning *a, int kind, int piece) {
    const struct piece *pieces = a->plan->pieces[kind];
    const struct piece *last = &pieces[a->plan->piece_count[kind] - 1];
    return last->offset + last->bytes - pieces[piece].offset;
}

/* How many pieces from `piece` on one LOAD brings: as many as fit the banks, but not those of the
 * next layer, which would only keep this one waiting, unless they are small. The first layer of all
 * waits for nothing but what it needs first; nothing is left to be done while the last LOADs of all
 * are on their way, so each may bring half of what is left. */
static int pieces_in_load(const struct assigning *a, int layer, int kind, int piece, int64_t room) {
    const struct plan *plan = a->plan;
    const struct piece *pieces = plan->pieces[kind];
    const int *first_of = kind == PIECES_WGT ? plan->first_weights : plan->first_parameters;
    bool first = layer <= a->first_layer;
    int next =
        layer + 1 < plan->region->layer_count ? first_of[layer + 1] : plan->piece_count[kind];
    int count = 1;
    int64_t bytes = pieces[piece].bytes;
    if (plan->decisions->halve_loads) {
        room = weft_min(room, weft_max(SMALL_LOAD, bytes_left(a, kind, piece) / 2));
    }
    while (piece + count < plan->piece_count[kind] && a->address[kind][piece + count] < 0 &&
           bytes + pieces[piece + count].bytes <= room) {
        bool of_next = piece + count >= next;
        if (kind == PIECES_WGT
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
    a->slots[kind][first].first_piece = piece;
    a->slots[kind][first].piece_count = count;
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

/* The first of `entries` accumulators in banks that were used longest ago. */
static int64_t use_accumulators(struct assigning *a, int64_t entries) {
    int64_t bank = weft_acc_bank_entries(a->plan->config);
    int64_t all = weft_banks(a->plan->config, WEFT_MEMORY_ACC);
    int64_t banks = weft_ceil_div(entries, bank);
    int64_t first = a->next_acc_bank;
    if (first + banks > all) {
        first = 0;
    }
    a->next_acc_bank = (first + banks) % all;
    return first * bank;
}

/* ---- steps ---- */

/* Says where the constants and accumulators of an instruction are. */
static void set_addresses(const struct assigning *a, const struct step *step,
                          struct weft_instruction *instruction) {
    int64_t piece = step->piece_kind == NO_PIECE ? 0 : a->address[step->piece_kind][step->piece];
    if (instruction->opcode == WEFT_OPCODE_MATRIX) {
        instruction->matrix.wgt = (uint32_t)piece;
        instruction->matrix.acc = (uint32_t)a->acc;
    }
    if (instruction->opcode == WEFT_OPCODE_VECTOR && step->piece_kind == PIECES_PAR) {
        instruction->vector.par = (uint32_t)(piece / a->plan->config->block);
    }
    if (instruction->opcode == WEFT_OPCODE_VECTOR &&
        instruction->vector.function == WEFT_FUNCTION_REQUANT) {
        instruction->vector.a = (uint32_t)a->acc;
    }
}

static bool assign(struct assigning *a, const struct step *step) {
    struct weft_instruction instruction = step->instruction;
    if (step->accumulators > 0) {
        a->acc = use_accumulators(a, step->accumulators);
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
    }
    while (a->first_layer < plan->region->layer_count && is_done(plan->region, a->first_layer)) {
        a->first_layer++;
    }
}

bool assign_banks(const struct plan *plan, const struct stream *stream, struct program *program,
                  struct weft_error *error) {
    struct assigning a = {.plan = plan, .program = program, .error = error};
    bool good = true;
    start(&a);
    for (size_t i = 0; i < stream->count && good; i++) {
        good = assign(&a, &stream->steps[i]);
    }
    return good;
}
