/* The units of the reference. */
#include <string.h>

#include "isa/footprint.h"
#include "tests/unit/reference_internal.h"
#include "tests/unit/test.h"

/* Is there a RAM of ACT that holds banks of both masks? */
static bool masks_meet(const struct weft_config *config, uint32_t a, uint32_t b) {
    unsigned rams = config->act_rams < config->act_banks ? config->act_rams : config->act_banks;
    for (unsigned i = 0; i < config->act_banks; i++) {
        for (unsigned j = 0; j < config->act_banks; j++) {
            bool same = i * rams / config->act_banks == j * rams / config->act_banks;
            if (same && (a >> i & b >> j & 1) != 0) {
                return true;
            }
        }
    }
    return false;
}

static bool decodes(const struct weft_instruction *instruction) {
    return instruction->opcode == WEFT_OPCODE_LOAD && instruction->load.memory == WEFT_TARGET_WGT &&
           instruction->load.units > 0;
}

static bool load_ready(const struct model *m, const struct weft_instruction *instruction) {
    const struct registers *old = m->old;
    if (old->load.busy || m->now <= old->load.busy_until ||
        old->flights[WEFT_UNIT_LOAD] >= m->config->load_instructions) {
        return false;
    }
    for (unsigned i = 0; instruction->opcode == WEFT_OPCODE_FILL && i < old->flights[0]; i++) {
        const struct weft_instruction *other = reference_at(m, old->flying[0][i].number);
        if (other->opcode == WEFT_OPCODE_LOAD &&
            masks_meet(m->config, other->banks[WEFT_MEMORY_ACT],
                       instruction->banks[WEFT_MEMORY_ACT])) {
            return false;
        }
    }
    bool copies_weights = instruction->opcode == WEFT_OPCODE_LOAD &&
                          instruction->load.memory == WEFT_TARGET_WGT && !decodes(instruction);
    for (unsigned i = 0; copies_weights && i < old->flights[0]; i++) {
        if (decodes(reference_at(m, old->flying[0][i].number))) {
            return false;
        }
    }
    return true;
}

static bool ready(const struct model *m, unsigned unit,
                  const struct weft_instruction *instruction) {
    const struct registers *old = m->old;
    switch (unit) {
    case WEFT_UNIT_LOAD:
        return load_ready(m, instruction);
    case WEFT_UNIT_MATRIX:
        return old->flights[unit] < m->config->matrix_instructions &&
               (!old->matrix_any || m->now >= old->matrix_u + old->matrix_n - old->matrix_m);
    case WEFT_UNIT_VECTOR:
        return old->flights[unit] == 0;
    default:
        return !old->store.busy && old->flights[unit] < m->config->store_instructions;
    }
}

/* The runs of a transfer cut at boundaries, in loop order. */
static void cut(struct model *m, struct issuer *issuer, uint32_t address, uint32_t run,
                const uint32_t count[3], const int32_t stride[3]) {
    uint64_t boundary = m->config->memory_burst;
    struct plan *plan = issuer->plan;
    issuer->next = 0;
    plan->count = 0;
    for (int64_t i = 0; i < count[0]; i++) {
        for (int64_t j = 0; j < count[1]; j++) {
            for (int64_t k = 0; k < count[2]; k++) {
                uint64_t from = (uint64_t)(address + i * stride[0] + j * stride[1] + k * stride[2]);
                uint64_t to = from + run;
                while (from < to) {
                    uint64_t stop = (from / boundary + 1) * boundary;
                    stop = stop < to ? stop : to;
                    assert_true(plan->count < MOST_BURSTS);
                    plan->address[plan->count] = from;
                    plan->bytes[plan->count++] = stop - from;
                    from = stop;
                }
            }
        }
    }
    issuer->busy = true;
    issuer->pending_from = m->now + 1;
}

static uint64_t fill_lines(uint32_t block, const struct weft_fill_fields *fill) {
    uint64_t lines = 0;
    for (int64_t i = 0; i < fill->count[0]; i++) {
        for (int64_t j = 0; j < fill->count[1]; j++) {
            for (int64_t k = 0; k < fill->count[2]; k++) {
                int64_t from = fill->local + i * fill->local_stride[0] + j * fill->local_stride[1] +
                               k * fill->local_stride[2];
                lines += (uint64_t)((from + fill->run - 1) / block - from / block + 1);
            }
        }
    }
    return lines;
}

static uint64_t start_matrix(struct model *m, const struct weft_instruction *instruction) {
    struct registers *r = m->new;
    const struct weft_matrix_fields *f = &instruction->matrix;
    uint64_t w = m->config->block / 2;
    uint64_t columns = f->pixel_count[1];
    if (f->mode == WEFT_MODE_DEPTHWISE) {
        columns = (columns - 1) * (f->window_step == 0 ? 16 : f->window_step) +
                  (f->window_columns == 0 ? 64 : f->window_columns);
    }
    uint64_t pass = f->pixel_count[0] * columns;
    pass = pass > w ? pass : w;
    uint64_t tiles = (uint64_t)f->tile_count[0] * f->tile_count[1] * f->tile_count[2];
    uint64_t n = tiles * f->tile_count[3] * pass;
    uint64_t u = m->now + w;
    if (m->old->matrix_any && m->old->matrix_u + m->old->matrix_n > u) {
        u = m->old->matrix_u + m->old->matrix_n;
    }
    for (unsigned i = 0; i < m->old->flights[WEFT_UNIT_MATRIX]; i++) {
        const struct flying *other = &m->old->flying[WEFT_UNIT_MATRIX][i];
        if ((reference_at(m, other->number)->banks[WEFT_MEMORY_ACC] &
             instruction->banks[WEFT_MEMORY_ACC]) != 0 &&
            other->finish + 1 > u) {
            u = other->finish + 1;
        }
    }
    r->matrix_any = true;
    r->matrix_u = u;
    r->matrix_n = n;
    r->matrix_m = pass;
    m->run->result.counters.matrix_stream += n;
    return u + n - 1 + MATRIX_DRAIN;
}

static uint64_t start_vector(struct model *m, const struct weft_vector_fields *v) {
    static const uint64_t slots[] = {1, 3, 3, 3, 3, 3, 0, 2, 2, 2, 1, 5, 0};
    static const uint64_t drains[] = {8, 15, 15, 12, 2, 2, 2, 2, 2, 7, 1, 18, 11};
    static const uint64_t deep[] = {10, 22, 22, 18, 3, 3, 3, 3, 3, 10, 1, 28, 19};
    bool is_deep = m->config->deep_pipeline == 1;
    uint64_t drain = (is_deep ? deep : drains)[v->function];
    if (v->function == WEFT_FUNCTION_REQUANT && v->rounding == WEFT_ROUNDING_FLOAT) {
        drain += is_deep ? 2 : 1;
    } else if (v->function == WEFT_FUNCTION_REQUANT && v->rounding == WEFT_ROUNDING_SINGLE) {
        drain += is_deep ? 2 : 0;
    }
    uint64_t each = slots[v->function];
    uint64_t latch = 0;
    if (v->function == WEFT_FUNCTION_POOL) {
        each = (uint64_t)v->window_count[0] * v->window_count[1] + 1;
        each = is_deep && each < 3 ? 3 : each;
    } else if (v->function == WEFT_FUNCTION_REQUANT) {
        latch = (uint64_t)v->count[0] * (v->per_channel == 0 ? 4 : v->short_records != 0 ? 7 : 9);
    } else if (v->function == WEFT_FUNCTION_ADD || v->function == WEFT_FUNCTION_SUB ||
               v->function == WEFT_FUNCTION_SQUARED_DIFFERENCE) {
        latch = (m->config->block < 16 ? 2 : 1) - (is_deep ? 1 : 0);
    }
    uint64_t s = (uint64_t)v->count[0] * v->count[1] * v->count[2] * each + latch;
    if (v->function == WEFT_FUNCTION_SOFTMAX) {
        uint64_t row = v->count[2] < 4 ? 16 : (uint64_t)v->count[2] * 4;
        s = (uint64_t)v->count[0] * v->count[1] * row + (uint64_t)v->count[2] * 8 + 44;
    }
    m->run->result.counters.vector_slots += s;
    return m->now + s + drain;
}

static void begin(struct model *m, unsigned unit, uint32_t number) {
    struct registers *r = m->new;
    const struct weft_instruction *instruction = reference_at(m, number);
    uint64_t finish = UNKNOWN;
    if (instruction->opcode == WEFT_OPCODE_LOAD) {
        const struct weft_load_fields *f = &instruction->load;
        static const uint32_t once[3] = {1, 1, 1};
        cut(m, &r->load, f->address, f->run, decodes(instruction) ? once : f->count,
            f->address_stride);
    } else if (instruction->opcode == WEFT_OPCODE_FILL) {
        uint64_t lines = fill_lines(m->config->block, &instruction->fill);
        m->run->result.counters.fill_lines += lines;
        r->load.busy_until = m->now + lines;
        finish = reference_load_in_order(r, m->now + lines);
    } else if (instruction->opcode == WEFT_OPCODE_STORE) {
        const struct weft_store_fields *f = &instruction->store;
        cut(m, &r->store, f->address, f->run, f->count, f->address_stride);
    } else if (instruction->opcode == WEFT_OPCODE_MATRIX) {
        finish = start_matrix(m, instruction);
    } else {
        finish = start_vector(m, &instruction->vector);
    }
    r->flying[unit][r->flights[unit]++] = (struct flying){number, m->now, UNKNOWN, finish};
    m->run->started[number] = m->now;
}

/* The banks of which it needs the write port, or the read port. */
static uint32_t port_banks(const struct weft_instruction *instruction, bool write) {
    uint32_t banks = instruction->banks[WEFT_MEMORY_ACT];
    const struct weft_vector_fields *vector = &instruction->vector;
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
    case WEFT_OPCODE_FILL:
        return write ? banks : 0;
    case WEFT_OPCODE_MATRIX:
    case WEFT_OPCODE_STORE:
        return write ? 0 : banks;
    default:
        if (write) {
            return banks & ~vector->input_banks;
        }
        return vector->apart ? banks & vector->input_banks : banks;
    }
}

static bool meets(const struct weft_config *config, const struct weft_instruction *a,
                  const struct weft_instruction *b) {
    if (masks_meet(config, port_banks(a, false), port_banks(b, false)) ||
        masks_meet(config, port_banks(a, true), port_banks(b, true))) {
        return true;
    }
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        if ((a->banks[i] & b->banks[i]) != 0) {
            return true;
        }
    }
    return false;
}

static bool bank_taken(const struct model *m, unsigned unit,
                       const struct weft_instruction *instruction) {
    for (unsigned other = 0; other < WEFT_UNITS; other++) {
        for (unsigned i = 0; other != unit && i < m->old->flights[other]; i++) {
            if (meets(m->config, reference_at(m, m->old->flying[other][i].number), instruction)) {
                return true;
            }
        }
        if (other < unit && m->starts[other] &&
            meets(m->config, reference_at(m, m->old->queue[other][0]), instruction)) {
            return true;
        }
    }
    return false;
}

/* The first producer whose token the head misses, or WEFT_UNITS. */
static unsigned missing(const struct model *m, unsigned unit) {
    uint32_t wait = reference_at(m, m->old->queue[unit][0])->wait;
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if ((wait >> producer & 1) != 0 && m->old->tokens[producer][unit] == 0) {
            return producer;
        }
    }
    return WEFT_UNITS;
}

static bool outside(const struct model *m, const struct weft_instruction *instruction) {
    struct weft_footprint footprint = weft_footprint_of(m->config, instruction);
    return !weft_footprint_inside(m->config, &footprint, m->settings->regions.limit, NULL);
}

void reference_try_start(struct model *m, unsigned unit) {
    struct registers *r = m->new;
    m->starts[unit] = false;
    if (m->old->queued[unit] == 0 || missing(m, unit) != WEFT_UNITS) {
        return;
    }
    uint32_t number = m->old->queue[unit][0];
    const struct weft_instruction *instruction = reference_at(m, number);
    if (!ready(m, unit, instruction)) {
        return;
    }
    m->starts[unit] = true;
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        r->tokens[producer][unit] -= instruction->wait >> producer & 1;
    }
    memmove(r->queue[unit], r->queue[unit] + 1, sizeof r->queue[unit] - sizeof r->queue[unit][0]);
    r->queued[unit]--;
    if (outside(m, instruction)) {
        reference_raise(m, 3 * unit + 2, WEFT_FAULT_ADDRESS, number);
    } else if (instruction->opcode == WEFT_OPCODE_STORE &&
               (m->settings->regions.writable >> instruction->store.region & 1) == 0) {
        reference_raise(m, 3 * unit + 2, WEFT_FAULT_WRITE, number);
    } else if (bank_taken(m, unit, instruction)) {
        reference_raise(m, 3 * unit + 3, WEFT_FAULT_BANK, number);
    } else {
        begin(m, unit, number);
    }
}

void reference_finish(struct model *m, unsigned unit) {
    struct registers *r = m->new;
    if (m->old->flights[unit] == 0 || m->old->flying[unit][0].finish != m->now) {
        return;
    }
    uint32_t number = m->old->flying[unit][0].number;
    m->run->finished[number] = m->now;
    memmove(r->flying[unit], r->flying[unit] + 1,
            sizeof r->flying[unit] - sizeof r->flying[unit][0]);
    r->flights[unit]--;
    for (unsigned consumer = 0; consumer < WEFT_UNITS; consumer++) {
        if ((reference_at(m, number)->signal >> consumer & 1) != 0 &&
            ++r->tokens[unit][consumer] > m->config->semaphore_max) {
            reference_raise(m, 3 * unit + 1, WEFT_FAULT_SEMAPHORE, number);
        }
    }
}

void reference_count(struct model *m, unsigned unit) {
    struct weft_counters *c = &m->run->result.counters;
    uint64_t *const counters[WEFT_UNITS][WEFT_UNITS + 2] = {
        {NULL, &c->load_wait_matrix, &c->load_wait_vector, &c->load_wait_store, &c->load_empty,
         &c->load_busy},
        {&c->matrix_wait_load, NULL, &c->matrix_wait_vector, &c->matrix_wait_store,
         &c->matrix_empty, &c->matrix_busy},
        {&c->vector_wait_load, &c->vector_wait_matrix, NULL, &c->vector_wait_store,
         &c->vector_empty, &c->vector_busy},
        {&c->store_wait_load, &c->store_wait_matrix, &c->store_wait_vector, NULL, &c->store_empty,
         &c->store_busy},
    };
    unsigned which = WEFT_UNITS;
    if (m->old->flights[unit] != 0 || m->starts[unit]) {
        which = WEFT_UNITS + 1;
    } else if (m->old->queued[unit] != 0) {
        which = missing(m, unit);
        assert_true(which < WEFT_UNITS);
    }
    *counters[unit][which] += 1;
}
