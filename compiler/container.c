/* The .weft file.
 *
 * A header (magic, version, fingerprint of the configuration, number of sections), a table of
 * sections (tag, CRC-32 of the stored bytes, offset, stored and raw length), then the sections,
 * each deflated by zlib. All numbers are little-endian.
 *
 *     CONF  the configuration, JSON
 *     GRPH  the graph, text form
 *     BLOB  constants of the graph
 *     PROG  programs, region sizes, cycles and bindings
 *     CNST  constants region of each program
 *     NAME  names and layers, for people
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/inflate.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/text.h"
#include "compiler/module.h"
#include "sim/timing/bound.h"

enum {
    MAGIC_BYTES = 8,
    VERSION = 2,
    HEADER_BYTES = MAGIC_BYTES + 16,
    ENTRY_BYTES = 32,
};
static const uint8_t magic[MAGIC_BYTES] = {'W', 'E', 'F', 'T', '\r', '\n', 0x1a, '\n'};

enum section {
    CONF,
    GRPH,
    BLOB,
    PROG,
    CNST,
    NAME,
    SECTIONS
};
static const char tags[SECTIONS][5] = {"CONF", "GRPH", "BLOB", "PROG", "CNST", "NAME"};

/* ---- writing ---- */

static void put_u32(struct weft_text *out, uint32_t value) {
    uint8_t bytes[4];
    weft_write_u32(bytes, value);
    weft_text_add_bytes(out, (const char *)bytes, sizeof bytes);
}

static void put_u64(struct weft_text *out, uint64_t value) {
    uint8_t bytes[8];
    weft_write_u64(bytes, value);
    weft_text_add_bytes(out, (const char *)bytes, sizeof bytes);
}

static void put_bytes(struct weft_text *out, const void *bytes, uint64_t length) {
    put_u64(out, length);
    weft_text_add_bytes(out, bytes, (size_t)length);
}

static void put_string(struct weft_text *out, const char *string) {
    put_bytes(out, string, strlen(string));
}

static void put_bindings(struct weft_text *out, uint32_t count,
                         const struct weft_binding *bindings) {
    put_u32(out, count);
    for (uint32_t i = 0; i < count; i++) {
        put_u32(out, bindings[i].region);
        put_u64(out, bindings[i].offset);
        put_u64(out, bindings[i].bytes);
    }
}

/* A body of which only inputs and results are known. */
static struct weft_graph *opaque_body(struct weft_arena *arena, const struct weft_node *node) {
    struct weft_graph *body = weft_graph_new(arena, "body");
    for (uint32_t i = 0; i < node->input_count; i++) {
        weft_graph_add_input(body, &node->inputs[i]->type, NULL, -1);
    }
    struct weft_node *opaque =
        weft_graph_add_node(body, WEFT_OP_OPAQUE, node->input_count, body->inputs, 0, NULL);
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_graph_add_output(body,
                              weft_node_add_result(body, opaque, &node->results[i]->type, -1));
    }
    return body;
}

/* Regions keep what they take and give; what their composites do is in the programs. */
static struct weft_graph *strip(const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = weft_copy_node(&copy, graph->nodes[i]);
        if (node->op == WEFT_OP_REGION) {
            node->body = strip(node->body);
        } else if (node->op == WEFT_OP_COMPOSITE) {
            node->body = opaque_body(graph->arena, node);
        }
    }
    return weft_copy_finish(&copy);
}

static void write_graph(const struct weft_module *module, struct weft_text sections[SECTIONS]) {
    struct weft_blobs blobs = {0};
    struct weft_graph *graph = strip(module->graph);
    weft_graph_name(graph);
    weft_graph_print(graph, &sections[GRPH], &blobs);
    put_u32(&sections[BLOB], (uint32_t)blobs.count);
    for (size_t i = 0; i < blobs.count; i++) {
        put_bytes(&sections[BLOB], blobs.blob[i].bytes, blobs.blob[i].length);
    }
}

static bool write_segment(const struct weft_segment *segment, struct weft_text sections[SECTIONS],
                          struct weft_error *error) {
    uint8_t *program = NULL;
    if (!weft_program_encode(&segment->program, &program, error)) {
        return false;
    }
    put_bytes(&sections[PROG], program, segment->program.count * WEFT_INSTRUCTION_BYTES);
    free(program);
    put_u64(&sections[PROG], segment->scratch_bytes);
    put_u64(&sections[PROG], segment->input_bytes);
    put_u64(&sections[PROG], segment->output_bytes);
    put_u64(&sections[PROG], segment->cycles);
    put_u64(&sections[PROG], segment->bound);
    put_u64(&sections[PROG], (uint64_t)segment->elements);
    put_bindings(&sections[PROG], segment->input_count, segment->inputs);
    put_bindings(&sections[PROG], segment->output_count, segment->outputs);
    put_bytes(&sections[CNST], segment->constants, segment->constant_bytes);
    put_u32(&sections[NAME], segment->layer_count);
    for (uint32_t i = 0; i < segment->layer_count; i++) {
        const struct weft_layer_info *layer = &segment->layers[i];
        put_string(&sections[NAME], layer->name);
        put_string(&sections[NAME], layer->tensor);
        for (int k = 0; k < 4; k++) {
            put_u64(&sections[NAME], (uint64_t)layer->shape[k]);
        }
        put_u64(&sections[NAME], (uint64_t)layer->macs);
        put_u32(&sections[NAME], (uint32_t)layer->source);
    }
    for (size_t i = 0; i < segment->program.count; i++) {
        put_u32(&sections[NAME], (uint32_t)segment->layer_of[i]);
    }
    return true;
}

static bool deflate_section(const struct weft_text *raw, struct weft_text *stored,
                            struct weft_error *error) {
    uLongf length = compressBound((uLong)raw->length);
    uint8_t *bytes = weft_allocate(length, 1, "a section", error);
    if (bytes == NULL) {
        return false;
    }
    bool good = compress2(bytes, &length, (const Bytef *)raw->bytes, (uLong)raw->length, 6) == Z_OK;
    if (good) {
        weft_text_add_bytes(stored, (const char *)bytes, length);
    }
    free(bytes);
    return good ? weft_text_finish(stored, error) : weft_no_memory(error, "deflating");
}

static bool join(const struct weft_module *module, struct weft_text raw[SECTIONS],
                 struct weft_text stored[SECTIONS], struct weft_text *out,
                 struct weft_error *error) {
    weft_text_add_bytes(out, (const char *)magic, sizeof magic);
    put_u32(out, VERSION);
    put_u32(out, SECTIONS);
    put_u64(out, weft_config_fingerprint(&module->config));
    uint64_t offset = HEADER_BYTES + SECTIONS * ENTRY_BYTES;
    for (int i = 0; i < SECTIONS; i++) {
        if (!weft_text_finish(&raw[i], error) || !deflate_section(&raw[i], &stored[i], error)) {
            return false;
        }
        weft_text_add_bytes(out, tags[i], 4);
        put_u32(out, (uint32_t)crc32_z(0, (const Bytef *)stored[i].bytes, stored[i].length));
        put_u64(out, offset);
        put_u64(out, stored[i].length);
        put_u64(out, raw[i].length);
        offset += stored[i].length;
    }
    for (int i = 0; i < SECTIONS; i++) {
        weft_text_add_bytes(out, stored[i].bytes, stored[i].length);
    }
    return weft_text_finish(out, error);
}

static bool write_sections(struct weft_module *module, struct weft_text raw[SECTIONS],
                           struct weft_error *error) {
    if (setjmp(module->arena.on_failure) != 0) {
        return weft_arena_failed(&module->arena, error);
    }
    if (module->external_count > 0) {
        return weft_fail(error, WEFT_TARGET, 0, "programs of target %s have no written form",
                         module->externals[0].target->patterns->name);
    }
    if (!weft_config_print(&module->config, &raw[CONF], error)) {
        return false;
    }
    write_graph(module, raw);
    put_u32(&raw[PROG], module->segment_count);
    put_string(&raw[NAME], module->model_name);
    put_u32(&raw[NAME], (uint32_t)module->graph->node_count);
    for (size_t i = 0; i < module->graph->node_count; i++) {
        put_u32(&raw[NAME], (uint32_t)module->graph->nodes[i]->source);
    }
    for (uint32_t i = 0; i < module->segment_count; i++) {
        if (!write_segment(&module->segments[i], raw, error)) {
            return false;
        }
    }
    return true;
}

bool weft_module_write(struct weft_module *module, uint8_t **bytes, size_t *length,
                       struct weft_error *error) {
    struct weft_text raw[SECTIONS] = {0};
    struct weft_text stored[SECTIONS] = {0};
    struct weft_text out = {0};
    bool good = write_sections(module, raw, error) && join(module, raw, stored, &out, error);
    for (int i = 0; i < SECTIONS; i++) {
        weft_text_free(&raw[i]);
        weft_text_free(&stored[i]);
    }
    if (good) {
        *bytes = (uint8_t *)out.bytes;
        *length = out.length;
    } else {
        weft_text_free(&out);
    }
    return good;
}

/* ---- reading ---- */

/* A section that is being read. Reading past its end sets `failed` and gives zeros. */
struct reader {
    const char *tag;
    const uint8_t *bytes;
    uint64_t length;
    uint64_t at;
    bool failed;
};

static const uint8_t *take(struct reader *reader, uint64_t length) {
    if (reader->failed || length > reader->length - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *bytes = reader->bytes + reader->at;
    reader->at += length;
    return bytes;
}

static uint32_t take_u32(struct reader *reader) {
    const uint8_t *bytes = take(reader, 4);
    return bytes == NULL ? 0 : weft_read_u32(bytes);
}

static uint64_t take_u64(struct reader *reader) {
    const uint8_t *bytes = take(reader, 8);
    return bytes == NULL ? 0 : weft_read_u64(bytes);
}

/* A count of things that take at least `least` bytes each in this section. */
static uint32_t take_count(struct reader *reader, uint64_t least) {
    uint32_t count = take_u32(reader);
    if (count > (reader->length - reader->at) / least) {
        reader->failed = true;
        return 0;
    }
    return count;
}

static const uint8_t *take_bytes(struct reader *reader, uint64_t *length) {
    *length = take_u64(reader);
    return take(reader, *length);
}

static const char *take_string(struct weft_arena *arena, struct reader *reader) {
    uint64_t length = 0;
    const uint8_t *bytes = take_bytes(reader, &length);
    return bytes == NULL ? "" : weft_arena_string(arena, (const char *)bytes, (size_t)length);
}

/* Every byte of a section must be read. */
static bool finish(const struct reader *reader, struct weft_error *error) {
    if (reader->failed || reader->at != reader->length) {
        return weft_fail(error, WEFT_CONTAINER, reader->at, "section %s: %s at byte %llu of %llu",
                         reader->tag, reader->failed ? "ends too early" : "has bytes left over",
                         (unsigned long long)reader->at, (unsigned long long)reader->length);
    }
    return true;
}

/* Sections lie one after another; *end is where the one before ends. */
static bool inflate_section(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                            int index, uint64_t *end, struct reader *reader,
                            struct weft_error *error) {
    size_t at = HEADER_BYTES + (size_t)index * ENTRY_BYTES;
    const uint8_t *entry = bytes + at;
    uint64_t offset = weft_read_u64(entry + 8);
    uint64_t stored = weft_read_u64(entry + 16);
    uint64_t raw = weft_read_u64(entry + 24);
    if (memcmp(entry, tags[index], 4) != 0) {
        return weft_fail(error, WEFT_CONTAINER, at, "byte %zu: expected section %s", at,
                         tags[index]);
    }
    if (offset != *end || stored > length - offset || raw >= SIZE_MAX ||
        !weft_inflate_is_possible(stored, raw)) {
        return weft_fail(error, WEFT_CONTAINER, at,
                         "byte %zu: section %s is not where it must be, outside the file, or has a "
                         "wrong size",
                         at, tags[index]);
    }
    *end = offset + stored;
    if (crc32_z(0, bytes + offset, (size_t)stored) != weft_read_u32(entry + 4)) {
        return weft_fail(error, WEFT_CONTAINER, offset, "section %s: wrong checksum", tags[index]);
    }
    uint8_t *out = weft_arena_allocate(arena, (size_t)raw + 1, 1);
    if (!weft_inflate(bytes + offset, (size_t)stored, out, (size_t)raw, WEFT_CONTAINER, error)) {
        error->position = offset;
        return weft_fail_context(error, "section %s", tags[index]);
    }
    *reader = (struct reader){.tag = tags[index], .bytes = out, .length = raw};
    return true;
}

static bool read_header(const uint8_t *bytes, size_t length, struct weft_error *error) {
    if (!weft_is_module(bytes, length)) {
        return weft_fail(error, WEFT_CONTAINER, 0, "does not begin like a .weft file");
    }
    if (length < HEADER_BYTES + SECTIONS * ENTRY_BYTES) {
        return weft_fail(error, WEFT_CONTAINER, length, "file ends inside its header");
    }
    if (weft_read_u32(bytes + MAGIC_BYTES) != VERSION) {
        return weft_fail(error, WEFT_CONTAINER, MAGIC_BYTES, "version %u, expected %d",
                         weft_read_u32(bytes + MAGIC_BYTES), VERSION);
    }
    if (weft_read_u32(bytes + MAGIC_BYTES + 4) != SECTIONS) {
        return weft_fail(error, WEFT_CONTAINER, MAGIC_BYTES + 4, "%u sections, expected %d",
                         weft_read_u32(bytes + MAGIC_BYTES + 4), SECTIONS);
    }
    return true;
}

static bool read_graph(struct weft_module *module, struct reader sections[SECTIONS],
                       struct weft_error *error) {
    struct weft_blobs blobs = {0};
    struct reader *in = &sections[BLOB];
    blobs.count = take_count(in, 8);
    blobs.blob = WEFT_NEW_ARRAY(&module->arena, blobs.count, struct weft_blob);
    for (size_t i = 0; i < blobs.count; i++) {
        uint64_t size = 0;
        blobs.blob[i].bytes = take_bytes(in, &size);
        blobs.blob[i].length = (size_t)size;
    }
    return finish(in, error) &&
           weft_graph_parse(&module->arena, (const char *)sections[GRPH].bytes,
                            (size_t)sections[GRPH].length, &blobs, &module->graph, error) &&
           (module->graph->output_count > 0 ||
            weft_fail(error, WEFT_CONTAINER, 0, "section GRPH: the graph has no outputs"));
}

static void read_bindings(struct weft_arena *arena, struct reader *in, uint32_t *count,
                          struct weft_binding **bindings) {
    *count = take_count(in, 20);
    *bindings = WEFT_NEW_ARRAY(arena, *count, struct weft_binding);
    for (uint32_t i = 0; i < *count; i++) {
        (*bindings)[i].region = take_u32(in);
        (*bindings)[i].offset = take_u64(in);
        (*bindings)[i].bytes = take_u64(in);
    }
}

static bool read_program(struct weft_arena *arena, struct reader *in, struct weft_segment *segment,
                         struct weft_error *error) {
    uint64_t size = 0;
    const uint8_t *bytes = take_bytes(in, &size);
    if (bytes == NULL || size % WEFT_INSTRUCTION_BYTES != 0) {
        return weft_fail(error, WEFT_CONTAINER, in->at,
                         "section PROG: a program must have a multiple of %d bytes",
                         WEFT_INSTRUCTION_BYTES);
    }
    size_t count = (size_t)size / WEFT_INSTRUCTION_BYTES;
    segment->program.instructions = WEFT_NEW_ARRAY(arena, count, struct weft_instruction);
    uint64_t verified = arena->total + (uint64_t)count * WEFT_VERIFY_BYTES;
    if (verified > arena->limit) {
        return weft_limit_passed(error, "verifying a program", verified, arena->limit);
    }
    segment->program.count = segment->program.capacity = count;
    for (size_t i = 0; i < count; i++) {
        if (!weft_decode(bytes + i * WEFT_INSTRUCTION_BYTES, &segment->program.instructions[i],
                         error)) {
            error->position = i;
            return weft_fail_context(error, "instruction %zu", i);
        }
    }
    segment->scratch_bytes = take_u64(in);
    segment->input_bytes = take_u64(in);
    segment->output_bytes = take_u64(in);
    segment->cycles = take_u64(in);
    segment->bound = take_u64(in);
    segment->elements = (int64_t)take_u64(in);
    if (segment->elements < 0) {
        return weft_fail(error, WEFT_CONTAINER, in->at,
                         "section PROG: a program makes %lld elements, expected 0 or more",
                         (long long)segment->elements);
    }
    read_bindings(arena, in, &segment->input_count, &segment->inputs);
    read_bindings(arena, in, &segment->output_count, &segment->outputs);
    return true;
}

static bool read_names(struct weft_arena *arena, struct reader *in, struct weft_segment *segment,
                       struct weft_error *error) {
    segment->layer_count = take_count(in, 60);
    segment->layers = WEFT_NEW_ARRAY(arena, segment->layer_count, struct weft_layer_info);
    for (uint32_t i = 0; i < segment->layer_count; i++) {
        struct weft_layer_info *layer = &segment->layers[i];
        layer->name = take_string(arena, in);
        layer->tensor = take_string(arena, in);
        for (int k = 0; k < 4; k++) {
            layer->shape[k] = (int64_t)take_u64(in);
        }
        layer->macs = (int64_t)take_u64(in);
        layer->source = (int32_t)take_u32(in);
        if (layer->macs < 0) {
            return weft_fail(error, WEFT_CONTAINER, in->at,
                             "section NAME: a layer has %lld multiplications, expected 0 or more",
                             (long long)layer->macs);
        }
    }
    segment->layer_of = WEFT_NEW_ARRAY(arena, segment->program.count, int32_t);
    for (size_t i = 0; i < segment->program.count; i++) {
        int32_t layer = (int32_t)take_u32(in);
        segment->layer_of[i] = layer;
        if (layer < -1 || layer >= (int64_t)segment->layer_count) {
            return weft_fail(error, WEFT_CONTAINER, in->at,
                             "section NAME: an instruction belongs to a layer that is not there");
        }
    }
    return true;
}

static bool check_bindings(const struct weft_binding *bindings, uint32_t count,
                           struct weft_value *const *values, uint32_t value_count,
                           const uint64_t limits[WEFT_REGIONS], struct weft_error *error) {
    bool good = count == value_count;
    for (uint32_t i = 0; good && i < count; i++) {
        const struct weft_binding *b = &bindings[i];
        good = b->region >= WEFT_REGION_SCRATCH && b->region <= WEFT_REGION_OUTPUTS &&
               b->bytes == weft_type_bytes(&values[i]->type) && b->offset <= limits[b->region] &&
               b->bytes <= limits[b->region] - b->offset;
    }
    return good || weft_fail(error, WEFT_CONTAINER, 0,
                             "section PROG: inputs and outputs of a program do not fit its region");
}

/* What a program says of its cycles must be what follows from it. */
static bool check_cycles(const struct weft_module *module, const struct weft_segment *segment,
                         struct weft_error *error) {
    const struct weft_timing_settings settings = {.memory_latency = 0}; /* the configuration's */
    uint64_t bound = weft_bound(&module->config, &settings, segment->program.instructions,
                                segment->program.count);
    return (segment->bound == bound && segment->cycles <= bound) ||
           weft_fail(error, WEFT_CONTAINER, 0,
                     "section PROG: a program says it takes %" PRIu64 " cycles, at most %" PRIu64
                     "; expected at most %" PRIu64,
                     segment->cycles, segment->bound, bound);
}

/* What one program may take to be verified is all that a module may take. */
static bool count_steps(const struct weft_proof *proof, uint64_t *steps, struct weft_error *error) {
    *steps += proof->steps;
    return *steps <= WEFT_VERIFY_STEPS ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "to verify the programs takes more than %" PRIu64 " steps", WEFT_VERIFY_STEPS);
}

/* Programs must fit their regions in the graph, and be free of faults, races and deadlocks. */
static bool check_segment(const struct weft_module *module, const struct weft_segment *segment,
                          const struct weft_node *region, uint64_t *steps,
                          struct weft_error *error) {
    struct weft_proof proof;
    struct weft_regions regions;
    weft_segment_regions(segment, &regions);
    if (segment->scratch_bytes > WEFT_REGION_LIMIT || segment->input_bytes > WEFT_REGION_LIMIT ||
        segment->output_bytes > WEFT_REGION_LIMIT) {
        return weft_fail(error, WEFT_LIMIT, 0, "a program asks for a region of more than %d bytes",
                         WEFT_REGION_LIMIT);
    }
    return check_bindings(segment->inputs, segment->input_count, region->inputs,
                          region->input_count, regions.limit, error) &&
           check_bindings(segment->outputs, segment->output_count, region->results,
                          region->result_count, regions.limit, error) &&
           weft_verify(&module->config, segment->program.instructions, segment->program.count,
                       &regions, &proof, error) &&
           count_steps(&proof, steps, error) && check_cycles(module, segment, error);
}

/* Which operators of the model the nodes stand for; those of the host say why they are there. */
static bool read_sources(const struct weft_module *module, struct reader *in,
                         struct weft_error *error) {
    const struct weft_graph *graph = module->graph;
    if (take_count(in, 4) != graph->node_count) {
        return weft_fail(error, WEFT_CONTAINER, in->at,
                         "section NAME: not as many operators as the graph has");
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = graph->nodes[i];
        node->source = (int32_t)take_u32(in);
        if (node->op != WEFT_OP_REGION && node->op != WEFT_OP_CONSTANT &&
            weft_node_attribute(node, WEFT_ATTR_reason) == NULL) {
            return weft_fail(error, WEFT_CONTAINER, in->at,
                             "section GRPH: node %zu (%s) has no reason to be on the host", i,
                             weft_operator_name(node->op));
        }
    }
    return true;
}

static bool read_segments(struct weft_module *module, struct reader sections[SECTIONS],
                          struct weft_error *error) {
    struct weft_arena *arena = &module->arena;
    module->segment_count = take_count(&sections[PROG], 64);
    module->segments = WEFT_NEW_ARRAY(arena, module->segment_count, struct weft_segment);
    module->model_name = take_string(arena, &sections[NAME]);
    if (!read_sources(module, &sections[NAME], error)) {
        return false;
    }
    for (uint32_t i = 0; i < module->segment_count; i++) {
        struct weft_segment *segment = &module->segments[i];
        if (!read_program(arena, &sections[PROG], segment, error)) {
            return false;
        }
        segment->constants = take_bytes(&sections[CNST], &segment->constant_bytes);
        if (!read_names(arena, &sections[NAME], segment, error)) {
            return false;
        }
    }
    if (!finish(&sections[PROG], error) || !finish(&sections[CNST], error) ||
        !finish(&sections[NAME], error)) {
        return false;
    }
    uint32_t next = 0;
    uint64_t steps = 0;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (node->op != WEFT_OP_REGION) {
            continue;
        }
        if (!weft_is_machine_region(node)) {
            return weft_fail(error, WEFT_CONTAINER, i, "a region is for target %.40s, not weft",
                             weft_node_text(node, WEFT_ATTR_target));
        }
        if (next == module->segment_count) {
            return weft_fail(error, WEFT_CONTAINER, 0, "a region of the graph has no program");
        }
        if (!check_segment(module, &module->segments[next++], node, &steps, error)) {
            return false;
        }
    }
    return next == module->segment_count ||
           weft_fail(error, WEFT_CONTAINER, 0, "a program belongs to no region of the graph");
}

static bool check_limit(const char *what, uint64_t asked, uint64_t given, uint64_t standard,
                        const char *option, struct weft_error *error) {
    uint64_t most = given == 0 ? standard : given;
    return asked <= most ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "%s %" PRIu64 ", more than the limit of %" PRIu64 " (--%s raises it)", what,
                     asked, most, option);
}

static bool check_limits(const struct weft_module *module, const struct weft_read_options *options,
                         struct weft_error *error) {
    return check_limit("cycles that its programs may take:", weft_module_bound(module),
                       options->cycles, WEFT_CYCLE_LIMIT, "cycle-limit", error) &&
           check_limit("steps of its operators on the host:", weft_module_host_steps(module),
                       options->host_steps, WEFT_HOST_LIMIT, "host-limit", error);
}

static bool read_module(struct weft_module *module, const uint8_t *bytes, size_t length,
                        const struct weft_read_options *options, struct weft_error *error) {
    struct reader sections[SECTIONS];
    if (!read_header(bytes, length, error)) {
        return false;
    }
    uint64_t end = HEADER_BYTES + SECTIONS * ENTRY_BYTES;
    for (int i = 0; i < SECTIONS; i++) {
        if (!inflate_section(&module->arena, bytes, length, i, &end, &sections[i], error)) {
            return false;
        }
    }
    if (end != length) {
        return weft_fail(error, WEFT_CONTAINER, end,
                         "%llu bytes are left over after the last section",
                         (unsigned long long)(length - end));
    }
    if (!weft_config_parse((const char *)sections[CONF].bytes, (size_t)sections[CONF].length,
                           &module->config, error)) {
        return false;
    }
    if (weft_config_fingerprint(&module->config) != weft_read_u64(bytes + MAGIC_BYTES + 8)) {
        return weft_fail(error, WEFT_FINGERPRINT, MAGIC_BYTES + 8,
                         "compiled for another instruction set or configuration than it says");
    }
    return read_graph(module, sections, error) && read_segments(module, sections, error) &&
           check_limits(module, options, error);
}

bool weft_is_module(const uint8_t *bytes, size_t length) {
    return length >= MAGIC_BYTES && memcmp(bytes, magic, MAGIC_BYTES) == 0;
}

bool weft_module_read(const uint8_t *bytes, size_t length, const struct weft_read_options *options,
                      struct weft_module **module, struct weft_error *error) {
    static const struct weft_read_options defaults = {0};
    struct weft_module *made = weft_allocate(1, sizeof *made, "a module", error);
    if (made == NULL) {
        return false;
    }
    options = options == NULL ? &defaults : options;
    made->arena.limit = (size_t)weft_memory_limit(options->bytes);
    if (setjmp(made->arena.on_failure) != 0) {
        weft_arena_failed(&made->arena, error);
        weft_module_free(made);
        return false;
    }
    if (!read_module(made, bytes, length, options, error)) {
        weft_module_free(made);
        return false;
    }
    *module = made;
    return true;
}
