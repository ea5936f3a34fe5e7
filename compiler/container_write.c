/* Writing .weft files. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "compiler/container.h"
#include "compiler/externals.h"

static const char tags[SECTIONS][5] = SECTION_TAGS;

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

static void put_strings(struct weft_text *out, size_t count, const char *const *strings) {
    for (size_t i = 0; i < count; i++) {
        put_string(out, strings[i]);
    }
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
        put_u64(&sections[NAME], (uint64_t)layer->cut_macs);
        put_u32(&sections[NAME], (uint32_t)layer->source);
        put_u32(&sections[NAME], (uint32_t)layer->result);
    }
    for (size_t i = 0; i < segment->program.count; i++) {
        put_u32(&sections[NAME], (uint32_t)segment->layer_of[i]);
    }
    return true;
}

/* Weights have no repetitions to look for: for sections of them Huffman codes alone give smaller
 * files in a fraction of the time. */
static int strategy_of(int section) {
    return section == BLOB || section == CNST ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY;
}

enum {
    PIECE_BYTES = 1 << 20 /* of a section of weights: pieces are deflated beside each other */
};

/* What is deflated at once: a section, or a piece of one, whose bytes go on where those of the one
 * before end. */
struct piece {
    const char *raw;
    size_t length;
    int strategy;
    bool is_section, is_last;
    uint8_t *bytes;
    uLong stored, sum; /* bytes, and the Adler-32 of the raw ones */
    struct weft_error error;
    bool is_done;
};

/* Would Huffman codes make a piece of weights some percent smaller? Those of coded weights hardly
 * do at all: their bytes are next to equally frequent. Then two bytes taken at random are the same
 * one in little more than 1 of 256 cases. */
static bool is_worth_coding(const struct piece *piece) {
    uint64_t count[256] = {0};
    uint64_t pairs = 0;
    for (size_t i = 0; i < piece->length; i++) {
        count[(uint8_t)piece->raw[i]]++;
    }
    for (size_t i = 0; i < 256; i++) {
        pairs += count[i] * count[i];
    }
    return 256 * pairs > (uint64_t)piece->length * piece->length / 4 * 5;
}

/* As zlib's compress2(), with a strategy; pieces of a section without the header and sum of it. */
static bool deflate_bytes(struct piece *piece, uLong room) {
    enum {
        LEVEL = 6,
        STORED = 0,
        WINDOW_BITS = 15,
        MEMORY_LEVEL = 8
    };
    const int level = piece->strategy == Z_HUFFMAN_ONLY && !is_worth_coding(piece) ? STORED : LEVEL;
    const int window = piece->is_section ? WINDOW_BITS : -WINDOW_BITS;
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)piece->raw,
                       .avail_in = (uInt)piece->length,
                       .next_out = piece->bytes,
                       .avail_out = (uInt)room};
    if (piece->length > UINT32_MAX || room > UINT32_MAX ||
        deflateInit2(&stream, level, Z_DEFLATED, window, MEMORY_LEVEL, piece->strategy) != Z_OK) {
        return false;
    }
    bool good = piece->is_last ? deflate(&stream, Z_FINISH) == Z_STREAM_END
                               : deflate(&stream, Z_SYNC_FLUSH) == Z_OK && stream.avail_out > 0;
    piece->stored = stream.total_out;
    piece->sum = adler32_z(adler32_z(0, NULL, 0), (const Bytef *)piece->raw, piece->length);
    (void)deflateEnd(&stream); /* it does not like a stream that is not finished */
    return good;
}

static void deflate_piece(void *context, unsigned thread, size_t i) {
    (void)thread;
    struct piece *piece = &((struct piece *)context)[i];
    uLong room = (uLong)(piece->length + piece->length / 4 + 64); /* above deflateBound() */
    piece->bytes = weft_allocate(room, 1, "a section", &piece->error);
    piece->is_done = piece->bytes != NULL &&
                     (deflate_bytes(piece, room) || weft_no_memory(&piece->error, "deflating"));
}

/* Weights are deflated without a look at what came before, so that they can be cut. */
static size_t pieces_of(int section, const struct weft_text *raw) {
    return strategy_of(section) == Z_HUFFMAN_ONLY && raw->length > PIECE_BYTES
               ? (raw->length + PIECE_BYTES - 1) / PIECE_BYTES
               : 1;
}

static void cut_section(int section, const struct weft_text *raw, size_t count,
                        struct piece *pieces) {
    for (size_t i = 0; i < count; i++) {
        const size_t first = i * PIECE_BYTES;
        const bool is_last = i + 1 == count;
        pieces[i] = (struct piece){.raw = raw->bytes + first,
                                   .length = is_last ? raw->length - first : PIECE_BYTES,
                                   .strategy = strategy_of(section),
                                   .is_section = count == 1,
                                   .is_last = is_last};
    }
}

static void put_big_endian(struct weft_text *out, uint64_t value, unsigned bytes) {
    while (bytes-- > 0) {
        const char byte = (char)(value >> (8 * bytes));
        weft_text_add_bytes(out, &byte, 1);
    }
}

/* The pieces of a section, one behind the other: a stream as zlib's (RFC 1950), with a window of 32
 * KB and the fastest algorithm. */
static bool join_pieces(const struct piece *pieces, size_t count, struct weft_text *stored,
                        struct weft_error *error) {
    enum {
        HEADER = 0x7801
    };
    uLong sum = adler32_z(0, NULL, 0);
    if (count > 1) {
        put_big_endian(stored, HEADER, 2);
    }
    for (size_t i = 0; i < count; i++) {
        if (!pieces[i].is_done) {
            *error = pieces[i].error;
            return false;
        }
        weft_text_add_bytes(stored, (const char *)pieces[i].bytes, pieces[i].stored);
        sum = adler32_combine(sum, pieces[i].sum, (z_off_t)pieces[i].length);
    }
    if (count > 1) {
        put_big_endian(stored, sum, 4);
    }
    return weft_text_finish(stored, error);
}

static bool deflate_sections(struct weft_text raw[SECTIONS], struct weft_text stored[SECTIONS],
                             struct weft_error *error) {
    size_t counts[SECTIONS];
    size_t all = 0;
    for (int i = 0; i < SECTIONS; i++) {
        if (!weft_text_finish(&raw[i], error)) {
            return false;
        }
        counts[i] = pieces_of(i, &raw[i]);
        all += counts[i];
    }
    struct piece *pieces = weft_allocate(all, sizeof *pieces, "sections", error);
    if (pieces == NULL) {
        return false;
    }
    for (size_t i = 0, at = 0; i < SECTIONS; at += counts[i++]) {
        cut_section((int)i, &raw[i], counts[i], &pieces[at]);
    }
    weft_parallel(all, weft_cores(), deflate_piece, pieces);
    bool good = true;
    for (size_t i = 0, at = 0; i < SECTIONS; at += counts[i++]) {
        good = good && join_pieces(&pieces[at], counts[i], &stored[i], error);
    }
    for (size_t i = 0; i < all; i++) {
        free(pieces[i].bytes);
    }
    free(pieces);
    return good;
}

static bool join(const struct weft_module *module, struct weft_text raw[SECTIONS],
                 struct weft_text stored[SECTIONS], struct weft_text *out,
                 struct weft_error *error) {
    weft_text_add_bytes(out, MAGIC, MAGIC_BYTES);
    put_u32(out, WEFT_CONTAINER_VERSION);
    put_u32(out, SECTIONS);
    put_u64(out, weft_config_fingerprint(&module->config));
    uint64_t offset = HEADER_BYTES + SECTIONS * ENTRY_BYTES;
    if (!deflate_sections(raw, stored, error)) {
        return false;
    }
    for (int i = 0; i < SECTIONS; i++) {
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

/* Programs of targets from outside. */
static bool write_externals(const struct weft_module *module, struct weft_text *out,
                            struct weft_error *error) {
    put_u32(out, module->external_count);
    for (uint32_t i = 0; i < module->external_count; i++) {
        const struct weft_external *external = &module->externals[i];
        const char *plugin = external->target->plugin;
        struct weft_text bytes = {0};
        bool good = externals_write(external, &bytes, error) && weft_text_finish(&bytes, error);
        if (good) {
            put_string(out, external->target->patterns->name);
            put_string(out, plugin == NULL ? "" : plugin);
            put_bytes(out, bytes.bytes, bytes.length);
        }
        weft_text_free(&bytes);
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool write_sections(struct weft_module *module, struct weft_text raw[SECTIONS],
                           struct weft_error *error) {
    if (setjmp(module->arena.on_failure) != 0) {
        return weft_arena_failed(&module->arena, error);
    }
    if (!weft_config_print(&module->config, &raw[CONF], error)) {
        return false;
    }
    write_graph(module, raw);
    put_u32(&raw[PROG], module->segment_count);
    put_string(&raw[NAME], module->model_name);
    put_u64(&raw[NAME], module->fingerprint);
    put_u32(&raw[NAME], module->frames);
    put_u32(&raw[NAME], module->one_by_one);
    put_u32(&raw[NAME], (uint32_t)module->graph->node_count);
    for (size_t i = 0; i < module->graph->node_count; i++) {
        put_u32(&raw[NAME], (uint32_t)module->graph->nodes[i]->source);
        put_string(&raw[NAME], module->tensors[i]);
    }
    put_strings(&raw[NAME], module->graph->input_count, module->inputs);
    put_strings(&raw[NAME], module->graph->output_count, module->outputs);
    for (uint32_t i = 0; i < module->segment_count; i++) {
        if (!write_segment(&module->segments[i], raw, error)) {
            return false;
        }
    }
    return write_externals(module, &raw[EXTN], error) &&
           weft_module_decisions(module, &raw[DECS], error);
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
