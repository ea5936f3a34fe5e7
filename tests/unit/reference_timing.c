#include "tests/unit/reference_timing.h"

#include <string.h>

#include "tests/unit/reference_internal.h"
#include "tests/unit/test.h"

const struct weft_instruction *reference_at(const struct model *m, uint32_t number) {
    return &m->program[number];
}

void reference_raise(struct model *m, unsigned rank, enum weft_fault code, uint32_t number) {
    if (m->run->result.fault == WEFT_FAULT_NONE || rank < m->rank) {
        m->run->result.fault = code;
        m->run->result.fault_instruction = number;
        m->rank = rank;
    }
}

/* ---- memory ---- */

/* Accepts a burst in this cycle; returns the cycle of its last beat, sets that of its first. */
static uint64_t accept(struct model *m, uint64_t beats, uint64_t *first) {
    uint64_t free = m->new->memory_free;
    *first = m->now + m->latency > free ? m->now + m->latency : free;
    m->new->memory_free = *first + beats * m->interval;
    return *first + (beats - 1) * m->interval;
}

static uint64_t open_count(const struct open_bursts *open, uint64_t now) {
    uint64_t count = 0;
    for (unsigned i = 0; i < open->count; i++) {
        count += open->last[i] >= now;
    }
    return count;
}

static uint64_t open_beats(const struct open_bursts *open, uint64_t now) {
    uint64_t beats = 0;
    for (unsigned i = 0; i < open->count; i++) {
        beats += open->last[i] >= now ? open->beats[i] : 0;
    }
    return beats;
}

static void add_open(struct open_bursts *open, uint64_t now, uint64_t last, uint64_t beats) {
    while (open->count > 0 && open->last[0] < now) {
        open->count--;
        memmove(open->last, open->last + 1, sizeof open->last - sizeof open->last[0]);
        memmove(open->beats, open->beats + 1, sizeof open->beats - sizeof open->beats[0]);
    }
    assert_true(open->count < MOST_OPEN);
    open->last[open->count] = last;
    open->beats[open->count++] = beats;
}

static uint64_t beats_of(const struct model *m, uint64_t address, uint64_t bytes) {
    uint64_t width = m->config->memory_width;
    return (address + bytes - 1) / width - address / width + 1;
}

static uint32_t fetch_size(const struct model *m) {
    uint32_t whole = m->config->memory_burst / WEFT_INSTRUCTION_BYTES;
    uint32_t size = whole - m->old->offset % whole;
    return size < m->end - m->old->offset ? size : m->end - m->old->offset;
}

static bool fetch_requests(const struct model *m) {
    return m->old->offset < m->end &&
           open_count(&m->old->fetch_open, m->now) < m->config->fetch_bursts &&
           m->old->offset - m->old->taken + fetch_size(m) <= m->config->fetch_buffer;
}

static bool pending(const struct model *m, const struct issuer *issuer) {
    return issuer->busy && m->now >= issuer->pending_from;
}

static bool requests(const struct model *m, const struct issuer *issuer, uint32_t most_bursts,
                     uint32_t most_beats) {
    if (!pending(m, issuer)) {
        return false;
    }
    const struct plan *plan = issuer->plan;
    uint64_t own = beats_of(m, plan->address[issuer->next], plan->bytes[issuer->next]);
    return open_count(&issuer->open, m->now) < most_bursts &&
           open_beats(&issuer->open, m->now) + own <= most_beats;
}

static void grant_fetch(struct model *m) {
    struct registers *r = m->new;
    uint32_t size = fetch_size(m);
    uint64_t each = WEFT_INSTRUCTION_BYTES / m->config->memory_width;
    uint64_t first = 0;
    uint64_t last = accept(m, size * each, &first);
    for (uint32_t i = 0; i < size; i++) {
        r->in_buffer[r->offset + i] = first + ((i + 1) * each - 1) * m->interval + 1;
    }
    add_open(&r->fetch_open, m->now, last, size * each);
    r->offset += size;
    m->run->result.counters.fetch_bytes += (uint64_t)size * WEFT_INSTRUCTION_BYTES;
    m->run->result.counters.fetch_beats += size * each;
}

/* Returns true when the instruction's last burst was granted, with its last beat. */
static bool grant(struct model *m, struct issuer *issuer, uint64_t *bytes_counter,
                  uint64_t *beats_counter, uint64_t *last) {
    uint64_t bytes = issuer->plan->bytes[issuer->next];
    uint64_t beats = beats_of(m, issuer->plan->address[issuer->next], bytes);
    uint64_t first = 0;
    *last = accept(m, beats, &first);
    add_open(&issuer->open, m->now, *last, beats);
    issuer->next++;
    issuer->pending_from = m->now + 1;
    *bytes_counter += bytes;
    *beats_counter += beats;
    issuer->busy = issuer->next < issuer->plan->count;
    return !issuer->busy;
}

uint64_t reference_load_in_order(struct registers *r, uint64_t complete) {
    r->load_finish = complete > r->load_finish + 1 ? complete : r->load_finish + 1;
    return r->load_finish;
}

static void memory_port(struct model *m) {
    struct weft_counters *c = &m->run->result.counters;
    const struct weft_config *config = m->config;
    bool fetch = fetch_requests(m);
    bool store = requests(m, &m->old->store, config->store_bursts, config->store_beats);
    bool load = requests(m, &m->old->load, config->load_bursts, config->load_beats);
    c->store_limit += pending(m, &m->old->store) && !store;
    c->load_limit += pending(m, &m->old->load) && !load;
    c->store_lost += store && fetch;
    c->load_lost += load && (fetch || store);
    uint64_t last = 0;
    struct registers *r = m->new;
    if (fetch) {
        grant_fetch(m);
    } else if (store) {
        if (grant(m, &r->store, &c->store_bytes, &c->store_beats, &last)) {
            struct flying *f = &r->flying[WEFT_UNIT_STORE][r->flights[WEFT_UNIT_STORE] - 1];
            f->finish = last + STORE_DRAIN;
        }
    } else if (load) {
        if (grant(m, &r->load, &c->load_bytes, &c->load_beats, &last)) {
            struct flying *f = &r->flying[WEFT_UNIT_LOAD][r->flights[WEFT_UNIT_LOAD] - 1];
            const struct weft_load_fields *fields = &reference_at(m, f->number)->load;
            bool decodes = fields->memory == WEFT_TARGET_WGT && fields->units > 0;
            f->finish = reference_load_in_order(r, last + (decodes ? LOAD_DECODE : LOAD_WRITE));
        }
    }
}

/* ---- dispatch ---- */

static bool all_idle(const struct registers *r) {
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (r->queued[unit] != 0 || r->flights[unit] != 0) {
            return false;
        }
    }
    return true;
}

static bool has_its_banks(const struct weft_config *config,
                          const struct weft_instruction *instruction) {
    const uint32_t banks[WEFT_MEMORIES] = {
        [WEFT_MEMORY_ACT] = config->act_banks, [WEFT_MEMORY_WGT] = config->wgt_banks,
        [WEFT_MEMORY_ACC] = config->acc_banks, [WEFT_MEMORY_PAR] = config->par_banks,
        [WEFT_MEMORY_LUT] = config->lookup,
    };
    bool all = true;
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        all = all && (uint64_t)instruction->banks[i] >> banks[i] == 0;
    }
    return all;
}

/* isa/features.def, once more. */
static bool has_its_features(const struct weft_config *config,
                             const struct weft_instruction *instruction) {
    const struct weft_vector_fields *v = &instruction->vector;
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        return (config->lookup != 0 || instruction->load.memory != WEFT_TARGET_LUT) &&
               (config->compression != 0 ||
                (instruction->load.units == 0 && instruction->load.base == 0));
    case WEFT_OPCODE_MATRIX:
        return (config->weight_zero_point != 0 || instruction->matrix.weight_zero == 0) &&
               (config->activation_zero_point != 0 || instruction->matrix.act_zero == 0) &&
               (config->dense_rows != 0 || instruction->matrix.mode != WEFT_MODE_DENSE ||
                instruction->matrix.window_rows == 0);
    case WEFT_OPCODE_VECTOR:
        if (config->short_records == 0 && v->short_records != 0) {
            return false;
        }
        break;
    default:
        return true;
    }
    switch (v->function) {
    case WEFT_FUNCTION_LUT:
        return config->lookup != 0;
    case WEFT_FUNCTION_SOFTMAX:
        return config->softmax != 0 && config->lookup != 0 && config->gemmlowp != 0;
    case WEFT_FUNCTION_MUL:
    case WEFT_FUNCTION_SQUARED_DIFFERENCE:
        return config->multiply != 0 && config->gemmlowp != 0;
    case WEFT_FUNCTION_REQUANT:
        return config->gemmlowp != 0 || v->rounding != WEFT_ROUNDING_GEMMLOWP;
    case WEFT_FUNCTION_ADD:
    case WEFT_FUNCTION_SUB:
    case WEFT_FUNCTION_RESCALE:
        return config->gemmlowp != 0;
    default:
        return true;
    }
}

static void dispatch(struct model *m) {
    struct weft_counters *c = &m->run->result.counters;
    const struct registers *old = m->old;
    struct registers *r = m->new;
    if (!old->working) {
        if (old->taken < old->offset && old->in_buffer[old->taken] <= m->now) {
            r->working = true;
            r->number = old->taken;
            r->taken = old->taken + 1;
            r->first_try = m->now + CHECK + 1;
            return;
        }
        c->dispatch_empty++;
        if (old->offset == m->end && open_count(&old->fetch_open, m->now) == 0) {
            reference_raise(m, 0, WEFT_FAULT_PROGRAM_END, old->taken);
        }
        return;
    }
    if (m->now < old->first_try) {
        return;
    }
    const struct weft_instruction *instruction = reference_at(m, old->number);
    uint32_t opcode = instruction->opcode;
    const struct weft_format *format = weft_format_of(opcode);
    if (format == NULL || !has_its_banks(m->config, instruction) ||
        !has_its_features(m->config, instruction)) {
        reference_raise(m, 0, WEFT_FAULT_ENCODING, old->number);
        return;
    }
    unsigned unit = format->unit;
    if (unit == WEFT_UNITS) {
        m->passes = all_idle(old);
        m->halted = m->passes && opcode == WEFT_OPCODE_HALT;
    } else if (old->queued[unit] < m->config->queue_depth) {
        m->passes = true;
        r->queue[unit][r->queued[unit]++] = old->number;
    }
    m->tries = !m->passes;
    if (m->passes) {
        r->working = false;
        c->instructions++;
        return;
    }
    uint64_t *const full[] = {&c->dispatch_full_load, &c->dispatch_full_matrix,
                              &c->dispatch_full_vector, &c->dispatch_full_store,
                              &c->dispatch_fence};
    *full[unit] += 1;
}

/* ---- the run ---- */

static void look_for_deadlock(struct model *m) {
    uint32_t number = UINT32_MAX;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (m->old->flights[unit] != 0 || m->starts[unit]) {
            return;
        }
        if (m->old->queued[unit] != 0 && m->old->queue[unit][0] < number) {
            number = m->old->queue[unit][0];
        }
    }
    if (m->tries) {
        reference_raise(m, 100, WEFT_FAULT_DEADLOCK, number);
    }
}

static void cycle(struct model *m) {
    m->passes = false;
    m->tries = false;
    memory_port(m);
    dispatch(m);
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        reference_try_start(m, unit);
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        reference_finish(m, unit);
        reference_count(m, unit);
    }
    look_for_deadlock(m);
    if (m->now == m->settings->watchdog && !m->halted) {
        reference_raise(m, 101, WEFT_FAULT_WATCHDOG,
                        m->old->working ? m->old->number : m->old->taken);
    }
}

struct reference_run reference_run(const struct weft_config *config,
                                   const struct weft_instruction *program, size_t count,
                                   const struct weft_timing_settings *settings) {
    static struct registers registers[2];
    static struct plan plans[2];
    memset(registers, 0, sizeof registers);
    for (unsigned i = 0; i < 2; i++) {
        registers[i].load.plan = &plans[0];
        registers[i].store.plan = &plans[1];
    }
    struct reference_run run;
    memset(&run, 0, sizeof run);
    uint64_t region = settings->regions.limit[WEFT_REGION_PROGRAM] / WEFT_INSTRUCTION_BYTES;
    struct model m = {
        .config = config,
        .program = program,
        .settings = settings,
        .end = (uint32_t)(region < count ? region : count),
        .latency =
            settings->memory.latency == 0 ? config->memory_latency : settings->memory.latency,
        .interval = settings->memory.interval == 0 ? 1 : settings->memory.interval,
        .old = &registers[0],
        .new = &registers[1],
        .run = &run,
    };
    while (run.result.fault == WEFT_FAULT_NONE && !m.halted) {
        m.now++;
        cycle(&m);
        registers[0] = registers[1];
    }
    run.passed_last = m.passes;
    if (config->performance_counters == 0) {
        run.result.counters = (struct weft_counters){0};
    }
    run.result.counters.cycles = m.now;
    return run;
}
