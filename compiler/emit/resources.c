/* Banks of WGT, PAR, LUT and ACC: who holds what. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

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

static void load_pieces(struct emitter *emitter, int kind, int first, int count, int64_t address) {
    struct piece *pieces = emitter->segment->pieces[kind];
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    int64_t bytes = 0;
    for (int i = first; i < first + count; i++) {
        pieces[i].address = address + bytes;
        bytes += pieces[i].bytes;
    }
    load.load.memory = target_of(kind);
    load.load.region = WEFT_REGION_CONSTANTS;
    load.load.address = (uint32_t)pieces[first].offset;
    load.load.local = (uint32_t)address;
    load.load.run = (uint32_t)bytes;
    emit(emitter, &load);
}

/* The first of `banks` neighbouring slots whose last use is longest ago. Of a piece in several
 * banks, which are used together, the first bank goes first, and with it the piece. */
static int oldest_slots(const struct emitter *emitter, int kind, int banks) {
    int all = (int)weft_memory_banks[memory_of(kind)];
    int best = 0;
    uint64_t best_used = UINT64_MAX;
    for (int first = 0; first + banks <= all; first++) {
        uint64_t used = 0;
        for (int i = first; i < first + banks; i++) {
            used = weft_max_u64(used, emitter->slots[kind][i].used);
        }
        if (used < best_used) {
            best_used = used;
            best = first;
        }
    }
    return best;
}

static void empty_slot(struct emitter *emitter, int kind, struct slot *slot) {
    for (int i = slot->first_piece; i < slot->first_piece + slot->piece_count; i++) {
        emitter->segment->pieces[kind][i].address = -1;
    }
    slot->piece_count = 0;
}

/* Pieces of so few bytes together that waiting for all of them costs less than another LOAD. */
enum {
    SMALL_LOAD = 2048
};

/* Is the current layer the first that does anything? */
static bool is_first(const struct emitter *emitter) {
    for (int i = 0; i < emitter->layer; i++) {
        if (!is_done(emitter->segment, i)) {
            return false;
        }
    }
    return true;
}

/* Bytes of all pieces from `piece` on. */
static int64_t bytes_left(const struct emitter *emitter, int kind, int piece) {
    const struct piece *pieces = emitter->segment->pieces[kind];
    const struct piece *last = &pieces[emitter->segment->piece_count[kind] - 1];
    return last->offset + last->bytes - pieces[piece].offset;
}

/* How many pieces from `piece` on one LOAD brings: as many as fit the banks, but not those of the
 * next layer, which would only keep this one waiting, unless they are small. The first layer of all
 * waits for nothing but what it needs first; nothing is left to be done while the last LOADs of all
 * are on their way, so each may bring half of what is left. */
static int pieces_in_load(const struct emitter *emitter, int kind, int piece, int64_t room) {
    const struct segment *segment = emitter->segment;
    const struct piece *pieces = segment->pieces[kind];
    const int *first_of = kind == PIECES_WGT ? segment->first_weights : segment->first_parameters;
    int layer = emitter->layer;
    bool first = is_first(emitter);
    int next = layer + 1 < segment->layer_count ? first_of[layer + 1] : segment->piece_count[kind];
    int count = 1;
    int64_t bytes = pieces[piece].bytes;
    if (segment->style.halve_last) {
        room = weft_min(room, weft_max(SMALL_LOAD, bytes_left(emitter, kind, piece) / 2));
    }
    while (piece + count < segment->piece_count[kind] && pieces[piece + count].address < 0 &&
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
static void bring(struct emitter *emitter, int kind, int piece) {
    struct segment *segment = emitter->segment;
    int64_t bank = weft_bank_bytes(segment->config, memory_of(kind));
    int banks = (int)weft_ceil_div(segment->pieces[kind][piece].bytes, bank);
    int count = pieces_in_load(emitter, kind, piece, banks * bank);
    int first = oldest_slots(emitter, kind, banks);
    for (int i = first; i < first + banks; i++) {
        empty_slot(emitter, kind, &emitter->slots[kind][i]);
    }
    emitter->slots[kind][first].first_piece = piece;
    emitter->slots[kind][first].piece_count = count;
    load_pieces(emitter, kind, piece, count, first * bank);
}

int64_t use_piece(struct emitter *emitter, int kind, int piece) {
    struct piece *wanted = &emitter->segment->pieces[kind][piece];
    if (wanted->address < 0) {
        bring(emitter, kind, piece);
    }
    int64_t bank = weft_bank_bytes(emitter->segment->config, memory_of(kind));
    for (int64_t at = wanted->address / bank; at * bank < wanted->address + wanted->bytes; at++) {
        emitter->slots[kind][at].used = emitter->count + 1;
    }
    return wanted->address;
}

/* ---- accumulators ---- */

int64_t use_accumulators(struct emitter *emitter, int64_t entries) {
    int64_t bank = weft_acc_entries(emitter->segment->config) / WEFT_ACC_BANKS;
    int64_t banks = weft_ceil_div(entries, bank);
    int64_t first = emitter->next_acc_bank;
    if (first + banks > WEFT_ACC_BANKS) {
        first = 0;
    }
    emitter->next_acc_bank = (first + banks) % WEFT_ACC_BANKS;
    return first * bank;
}
