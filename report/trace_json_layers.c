#include "report/trace_json_layers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"

/* The cycles from the first start to the last finish among the instructions of a layer, or of all
 * layers of a group. */
struct extent {
    uint64_t first; /* UINT64_MAX: there are none */
    uint64_t last;
    uint32_t index; /* of the layer or group */
};

static int compare_extents(const void *a, const void *b) {
    const struct extent *one = a;
    const struct extent *other = b;
    int order = weft_compare_u64(one->first, other->first);
    return order != 0 ? order : weft_compare_u64(one->index, other->index);
}

static void widen(struct extent *extent, const struct weft_trace_times *times) {
    extent->first = times->started < extent->first ? times->started : extent->first;
    extent->last = weft_max_u64(extent->last, times->finished);
}

static void write_layer(struct writer *out, const struct extent *extent, struct rows *rows) {
    const struct weft_layer_info *info = &out->segment->layers[extent->index];
    const struct weft_layer_figures *layer = &out->figures->layers[extent->index];
    char verdict[48];
    const struct weft_verdict found = weft_layer_verdict(layer);
    verdict_text(verdict, sizeof verdict, &found, out->number);
    begin_slice(out, OPERATORS + row_for(rows, extent->first, extent->last), "operator",
                out->names[extent->index], extent->first, extent->last);
    fprintf(out->file,
            "\"segment\":%u,\"layer\":%u,\"number\":%u,\"operator\":%d,\"macs\":%" PRId64
            ",\"cycles\":%" PRIu64 ",\"external_bytes\":%" PRIu64 ",\"bound_by\":\"%s\"",
            out->index, extent->index, out->number + extent->index, info->source, info->macs,
            layer->cycles, layer->external_bytes, verdict);
    end_slice(out);
}

static void write_chain(struct writer *out, const struct extent *extent, struct rows *rows) {
    const struct weft_group_figures *group = &out->figures->groups[extent->index];
    char name[64];
    (void)snprintf(name, sizeof name, "\"chain of %u to %u\"", out->number + group->first,
                   out->number + group->first + group->count - 1);
    begin_slice(out, CHAINS + row_for(rows, extent->first, extent->last), "chain", name,
                extent->first, extent->last);
    fprintf(out->file, "\"macs\":%" PRId64 ",\"cycles\":%" PRIu64 ",\"external_bytes\":%" PRIu64,
            group->macs, group->cycles, group->external_bytes);
    end_slice(out);
}

static void find_extents(const struct writer *out, struct extent *layers, struct extent *groups) {
    for (uint32_t i = 0; i < out->figures->layer_count; i++) {
        layers[i] = (struct extent){UINT64_MAX, 0, i};
        groups[i] = (struct extent){UINT64_MAX, 0, i};
    }
    for (size_t i = 0; i < out->segment->program.count; i++) {
        int32_t layer = out->segment->layer_of[i];
        if (layer >= 0 && out->trace->times[i].started != 0) {
            widen(&layers[layer], &out->trace->times[i]);
            widen(&groups[out->figures->layers[layer].group], &out->trace->times[i]);
        }
    }
}

bool write_layers(struct writer *out, struct weft_error *error) {
    uint32_t count = out->figures->layer_count;
    struct rows rows = {.used = 0};
    struct rows chain_rows = {.used = 0};
    struct extent *layers = weft_allocate(count, sizeof *layers, "layers", error);
    struct extent *groups = weft_allocate(count, sizeof *groups, "groups of layers", error);
    bool good = layers != NULL && groups != NULL;
    if (good) {
        find_extents(out, layers, groups);
        qsort(layers, count, sizeof *layers, compare_extents);
        qsort(groups, count, sizeof *groups, compare_extents);
        for (uint32_t i = 0; i < count && layers[i].first != UINT64_MAX; i++) {
            write_layer(out, &layers[i], &rows);
        }
        for (uint32_t i = 0; i < count && groups[i].first != UINT64_MAX; i++) {
            if (out->figures->groups[groups[i].index].count > 1) {
                write_chain(out, &groups[i], &chain_rows);
            }
        }
        name_rows(out, OPERATORS, &rows, "operators");
        name_rows(out, CHAINS, &chain_rows, "chains");
    }
    free(layers);
    free(groups);
    return good;
}

bool write_path(struct writer *out, struct weft_error *error) {
    struct weft_path_piece *pieces = NULL;
    size_t count = 0;
    if (!weft_history_path(out->history, &pieces, &count, error)) {
        return false;
    }
    name_thread(out, PATH, "critical path");
    for (size_t i = 0; i < count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "\"%s\"", weft_path_names[pieces[i].kind]);
        begin_slice(out, PATH, "path", name, pieces[i].first, pieces[i].last);
        fprintf(out->file, "\"number\":%u,\"operator\":%s", pieces[i].number,
                layer_name(out, out->segment->layer_of[pieces[i].number]));
        end_slice(out);
    }
    free(pieces);
    return true;
}
