#include "compiler/emit/stream.h"

void stream_add(struct stream *stream, const struct step *step) {
    stream->steps = weft_arena_grow(stream->arena, stream->steps, stream->count, &stream->capacity,
                                    sizeof *stream->steps);
    stream->steps[stream->count++] = *step;
}

void stream_begin_half(struct stream *stream) {
    stream->middle = stream->count;
    stream->has_middle = true;
}

void stream_end_part(struct stream *stream) {
    stream->middles = weft_arena_grow(stream->arena, stream->middles, stream->part_count,
                                      &stream->middle_capacity, sizeof *stream->middles);
    stream->middles[stream->part_count] = stream->has_middle ? stream->middle : stream->count;
    stream->has_middle = false;
    stream->ends = weft_arena_grow(stream->arena, stream->ends, stream->part_count,
                                   &stream->part_capacity, sizeof *stream->ends);
    stream->ends[stream->part_count++] = stream->count;
}

static void append(struct stream *to, const struct stream *from, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        stream_add(to, &from->steps[i]);
    }
}

static void append_part(struct stream *to, const struct stream *from, size_t part) {
    if (part < from->part_count) {
        append(to, from, part == 0 ? 0 : from->ends[part - 1], from->ends[part]);
    }
}

static void append_guests(struct stream *to, size_t count, const struct stream *guests,
                          size_t part) {
    for (size_t i = 0; i < count; i++) {
        append_part(to, &guests[i], part);
    }
}

void stream_merge(struct stream *to, const struct stream *host, size_t guest_count,
                  const struct stream *guests) {
    size_t part = 0;
    size_t most = 0;
    for (; part < host->part_count; part++) {
        append(to, host, part == 0 ? 0 : host->ends[part - 1], host->middles[part]);
        append_guests(to, guest_count, guests, part);
        append(to, host, host->middles[part], host->ends[part]);
    }
    append(to, host, part == 0 ? 0 : host->ends[part - 1], host->count);
    for (size_t i = 0; i < guest_count; i++) {
        most = guests[i].part_count > most ? guests[i].part_count : most;
    }
    for (; part < most; part++) {
        append_guests(to, guest_count, guests, part);
    }
}

void stream_spread(struct stream *to, const struct stream *host, size_t guest_count,
                   const struct stream *guests) {
    size_t parts = host->part_count;
    for (size_t part = 0; part < parts; part++) {
        append(to, host, part == 0 ? 0 : host->ends[part - 1], host->middles[part]);
        for (size_t i = 0; i < guest_count; i++) {
            size_t count = guests[i].part_count;
            for (size_t k = count * part / parts; k < count * (part + 1) / parts; k++) {
                append_part(to, &guests[i], k);
            }
        }
        append(to, host, host->middles[part], host->ends[part]);
    }
    append(to, host, parts == 0 ? 0 : host->ends[parts - 1], host->count);
    for (size_t i = 0; i < guest_count && parts == 0; i++) {
        append(to, &guests[i], 0, guests[i].count);
    }
}
