/* Reading .weft files. */
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/inflate.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/printable.h"
#include "compiler/container.h"
#include "compiler/container_check.h"
#include "compiler/externals.h"
#include "compiler/schedule/saved.h"

static const char tags[SECTIONS][5] = SECTION_TAGS;

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

/* The same of what is printed: a byte that would control a terminal is another one. */
static const char *take_name(struct weft_arena *arena, struct reader *reader) {
    const char *taken = take_string(arena, reader);
    char *name = weft_arena_string(arena, taken, strlen(taken));
    weft_make_printable(name);
    return name;
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
    if (weft_read_u32(bytes + MAGIC_BYTES) != WEFT_CONTAINER_VERSION) {
        return weft_fail(error, WEFT_CONTAINER, MAGIC_BYTES, "version %u, expected %d",
                         weft_read_u32(bytes + MAGIC_BYTES), WEFT_CONTAINER_VERSION);
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
    segment->layer_count = take_count(in, 72);
    segment->layers = WEFT_NEW_ARRAY(arena, segment->layer_count, struct weft_layer_info);
    for (uint32_t i = 0; i < segment->layer_count; i++) {
        struct weft_layer_info *layer = &segment->layers[i];
        layer->name = take_string(arena, in);
        layer->tensor = take_string(arena, in);
        for (int k = 0; k < 4; k++) {
            layer->shape[k] = (int64_t)take_u64(in);
        }
        layer->macs = (int64_t)take_u64(in);
        layer->cut_macs = (int64_t)take_u64(in);
        layer->source = (int32_t)take_u32(in);
        layer->result = (int32_t)take_u32(in);
        if (layer->macs < 0) {
            return weft_fail(error, WEFT_CONTAINER, in->at,
                             "section NAME: a layer has %lld multiplications, expected 0 or more",
                             (long long)layer->macs);
        }
        if (layer->cut_macs < 0 || layer->cut_macs > layer->macs) {
            return weft_fail(error, WEFT_CONTAINER, in->at,
                             "section NAME: %lld of %lld multiplications of a layer are cut",
                             (long long)layer->cut_macs, (long long)layer->macs);
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

/* Which operators of the model the nodes stand for, and what it calls their results; those of the
 * host say why they are there. */
static bool read_sources(struct weft_module *module, struct reader *in, struct weft_error *error) {
    const struct weft_graph *graph = module->graph;
    if (take_count(in, 12) != graph->node_count) {
        return weft_fail(error, WEFT_CONTAINER, in->at,
                         "section NAME: not as many operators as the graph has");
    }
    module->tensors = WEFT_NEW_ARRAY(&module->arena, graph->node_count, const char *);
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = graph->nodes[i];
        node->source = (int32_t)take_u32(in);
        module->tensors[i] = take_string(&module->arena, in);
        if (node->op != WEFT_OP_REGION && node->op != WEFT_OP_CONSTANT &&
            weft_node_attribute(node, WEFT_ATTR_reason) == NULL) {
            return weft_fail(error, WEFT_CONTAINER, in->at,
                             "section GRPH: node %zu (%s) has no reason to be on the host", i,
                             weft_operator_name(node->op));
        }
    }
    return true;
}

/* `count` is that of what was read already, which took more bytes than the names do. */
static const char **take_strings(struct weft_arena *arena, struct reader *in, size_t count) {
    const char **strings = WEFT_NEW_ARRAY(arena, count, const char *);
    for (size_t i = 0; i < count; i++) {
        strings[i] = take_string(arena, in);
    }
    return strings;
}

/* Can the first axis of each of the values be so many frames? */
static bool hold_frames(size_t count, struct weft_value *const *values, uint32_t frames) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const struct weft_type *type = &values[i]->type;
        good = good && (frames == 1 || (type->rank > 0 && type->dim[0] % frames == 0));
    }
    return good;
}

static bool read_frames(struct weft_module *module, struct reader *in, struct weft_error *error) {
    const struct weft_graph *graph = module->graph;
    uint32_t order = 0;
    module->frames = take_u32(in);
    order = take_u32(in);
    module->one_by_one = order == 1;
    if (module->frames < 1 || module->frames > WEFT_MOST_FRAMES || order > 1) {
        return weft_fail(error, WEFT_CONTAINER, in->at,
                         "section NAME: %" PRIu32 " frames in order %" PRIu32
                         ", expected 1 to %d in order 0 or 1",
                         module->frames, order, WEFT_MOST_FRAMES);
    }
    return (hold_frames(graph->input_count, graph->inputs, module->frames) &&
            hold_frames(graph->output_count, graph->outputs, module->frames)) ||
           weft_fail(error, WEFT_CONTAINER, in->at,
                     "section NAME: %" PRIu32 " frames, which inputs or outputs do not hold",
                     module->frames);
}

static bool read_segments(struct weft_module *module, struct reader sections[SECTIONS],
                          struct weft_error *error) {
    struct weft_arena *arena = &module->arena;
    module->segment_count = take_count(&sections[PROG], 64);
    module->segments = WEFT_NEW_ARRAY(arena, module->segment_count, struct weft_segment);
    module->model_name = take_name(arena, &sections[NAME]);
    module->fingerprint = take_u64(&sections[NAME]);
    if (!read_frames(module, &sections[NAME], error)) {
        return false;
    }
    if (!read_sources(module, &sections[NAME], error)) {
        return false;
    }
    module->inputs = take_strings(arena, &sections[NAME], module->graph->input_count);
    module->outputs = take_strings(arena, &sections[NAME], module->graph->output_count);
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
    return finish(&sections[PROG], error) && finish(&sections[CNST], error) &&
           finish(&sections[NAME], error);
}

/* What was decided is not used, but shown: it must be of as many layers as the programs. */
static bool read_decisions(struct weft_module *module, const struct reader *in,
                           struct weft_error *error) {
    struct saved_file file;
    if (!saved_parse(&module->arena, (const char *)in->bytes, (size_t)in->length, &file, error)) {
        error->code = WEFT_CONTAINER;
        return weft_fail_context(error, "section %s", in->tag);
    }
    bool good = file.schedule_count == module->segment_count;
    for (uint32_t i = 0; i < module->segment_count && good; i++) {
        module->segments[i].schedule = &file.schedules[i];
        good = file.schedules[i].layer_count == module->segments[i].layer_count;
    }
    return good ||
           weft_fail(error, WEFT_CONTAINER, 0,
                     "section %s: not as many regions or layers as the programs have", in->tag);
}

/* The program of a region that the machine does not carry out. */
static bool read_external(struct weft_module *module, struct reader *in,
                          const struct weft_node *region, const struct weft_read_options *options,
                          struct weft_error *error) {
    uint64_t length = 0;
    const char *name = take_string(&module->arena, in);
    const char *plugin = take_string(&module->arena, in);
    const uint8_t *bytes = take_bytes(in, &length);
    if (in->failed || strcmp(name, weft_node_text(region, WEFT_ATTR_target)) != 0) {
        return weft_fail(error, WEFT_CONTAINER, in->at,
                         "section %s: the program of a region for target %.64s is missing", in->tag,
                         weft_node_text(region, WEFT_ATTR_target));
    }
    return externals_read(&module->arena, options->target_count, options->targets, name, plugin,
                          region->body, bytes, (size_t)length,
                          &module->externals[module->external_count++], error);
}

static bool read_externals(struct weft_module *module, struct reader *in,
                           const struct weft_read_options *options, struct weft_error *error) {
    const struct weft_graph *graph = module->graph;
    uint32_t count = take_count(in, 24);
    module->externals = WEFT_NEW_ARRAY(&module->arena, graph->node_count, struct weft_external);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (node->op == WEFT_OP_REGION && !weft_is_machine_region(node) &&
            !read_external(module, in, node, options, error)) {
            return false;
        }
    }
    if (count != module->external_count) {
        return weft_fail(error, WEFT_CONTAINER, 0,
                         "section %s: %u programs, the graph has %u regions for them", in->tag,
                         count, module->external_count);
    }
    return finish(in, error);
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
    return externals_check(options->target_count, options->targets, error) &&
           read_graph(module, sections, error) && read_segments(module, sections, error) &&
           read_externals(module, &sections[EXTN], options, error) &&
           read_decisions(module, &sections[DECS], error) &&
           container_check_segments(module, error) &&
           container_check_limits(module, options, error);
}

bool weft_is_module(const uint8_t *bytes, size_t length) {
    return length >= MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0;
}

/* The same, when memory may end. */
static bool read_within(struct weft_module *module, const uint8_t *bytes, size_t length,
                        const struct weft_read_options *options, struct weft_error *error) {
    if (setjmp(module->arena.on_failure) != 0) {
        weft_arena_failed(&module->arena, error);
        return false;
    }
    return read_module(module, bytes, length, options, error);
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
    if (!read_within(made, bytes, length, options, error)) {
        weft_module_free(made);
        return false;
    }
    *module = made;
    return true;
}
