#include "compiler/schedule/known.h"

#include <string.h>

enum {
    LEAST_CAPACITY = 256 /* a power of 2, as all are */
};

struct known_entry {
    uint64_t key; /* 0: nothing is here */
    struct outcome outcome;
};

/* ---- keys ---- */

/* The finaliser of MurmurHash3: every bit of the result depends on every bit of both. */
static uint64_t mix(uint64_t key, uint64_t value) {
    key = (key ^ value) * UINT64_C(0xff51afd7ed558ccd);
    key = (key ^ key >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ key >> 33;
}

static uint64_t mix_decisions(uint64_t key, const struct decisions *decisions) {
    key = mix(key, (uint64_t)decisions->plain_weights << 3 | (uint64_t)decisions->behind << 2 |
                       (uint64_t)decisions->halve_loads << 1 | (uint64_t)decisions->whole_rams);
    key = mix(key, (uint64_t)decisions->kept_banks << 2 | (uint64_t)decisions->keep_longest << 1 |
                       (uint64_t)decisions->keep_in_group);
    for (int i = 0; i < decisions->layer_count; i++) {
#define WEFT_CUT(type, name, doc) key = mix(key, (uint64_t)decisions->cuts[i].name);
#include "compiler/plan/decisions.def"
    }
    for (int t = 0; t < decisions->tensor_count; t++) {
#define WEFT_KEEP(type, name, doc) key = mix(key, (uint64_t)decisions->keeps[t].name);
#include "compiler/plan/decisions.def"
    }
#define WEFT_AS_IF(type, name, doc) key = mix(key, (uint64_t)decisions->as_if.name);
#include "compiler/plan/decisions.def"
    return key;
}

uint64_t known_key(const struct region *region, const struct window *window,
                   const struct decisions *decisions) {
    const struct window all = {-1, -1}; /* {0, -1} is one without layers */
    const struct window *part = window == NULL ? &all : window;
    uint64_t key = mix((uint64_t)part->first << 32, (uint64_t)part->last);
    key = mix_decisions(mix(key, (uint64_t)(uintptr_t)region), decisions);
    return key == 0 ? 1 : key;
}

/* A program is hashed in lanes, of words that follow each other, since one multiplication waits for
 * the one before in its lane alone. */
enum {
    LANES = 4,
    WORDS = (sizeof(struct weft_instruction) + 7) / 8 /* of an instruction */
};

static uint64_t hash_word(uint64_t key, uint64_t word) {
    key = (key ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

uint64_t known_program_key(const struct program *program) {
    uint64_t lanes[LANES] = {program->count, 1, 2, 3};
    for (size_t i = 0; i < program->count; i++) {
        uint64_t words[WORDS] = {0};
        memcpy(words, &program->instructions[i], sizeof program->instructions[i]);
        for (size_t w = 0; w < WORDS; w++) {
            lanes[w % LANES] = hash_word(lanes[w % LANES], words[w]);
        }
    }
    uint64_t key = 1;
    for (size_t lane = 0; lane < LANES; lane++) {
        key = mix(key, lanes[lane]);
    }
    return key == 0 ? 1 : key;
}

/* ---- the table: open addressing, at most half full ---- */

/* The entry of a key, or the empty one where it would be. */
static struct known_entry *entry_of(const struct known *known, uint64_t key) {
    size_t mask = known->capacity - 1;
    size_t at = key & mask;
    while (known->entries[at].key != 0 && known->entries[at].key != key) {
        at = (at + 1) & mask;
    }
    return &known->entries[at];
}

bool known_find(const struct known *known, uint64_t key, uint64_t limit, struct outcome *outcome) {
    if (known->count == 0) {
        return false;
    }
    const struct known_entry *entry = entry_of(known, key);
    *outcome = entry->outcome;
    return entry->key != 0 && (!outcome->is_least || (limit != 0 && outcome->cycles >= limit));
}

static void grow(struct known *known) {
    const struct known old = *known;
    known->capacity = old.capacity == 0 ? LEAST_CAPACITY : 2 * old.capacity;
    known->entries = WEFT_NEW_ARRAY(known->arena, known->capacity, struct known_entry);
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.entries[i].key != 0) {
            *entry_of(known, old.entries[i].key) = old.entries[i];
        }
    }
}

void known_add(struct known *known, uint64_t key, const struct outcome *outcome) {
    if (2 * known->count >= known->capacity) {
        grow(known);
    }
    struct known_entry *entry = entry_of(known, key);
    known->count += entry->key == 0;
    *entry = (struct known_entry){key, *outcome};
}
