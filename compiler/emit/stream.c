#include "compiler/emit/stream.h"

#include <string.h>

void stream_clear(struct stream *stream) {
    stream->count = stream->part_count = 0;
    stream->has_middle = false;
}

void stream_reserve(struct stream *stream, size_t steps) {
    stream->steps = weft_arena_reserve(stream->arena, stream->steps, stream->count, steps,
                                       &stream->capacity, sizeof *stream->steps);
}

void stream_add(struct stream *stream, const struct step *step) {
    stream_reserve(stream, 1);
    stream->steps[stream->count++] = *step;
}

void stream_begin_half(struct stream *stream) {
    stream->middle = stream->count;
    stream->has_middle = true;
}

void stream_end_part(struct stream *stream) {
    stream->middles = weft_arena_reserve(stream->arena, stream->middles, stream->part_count, 1,
                                         &stream->middle_capacity, sizeof *stream->middles);
    stream->middles[stream->part_count] = stream->has_middle ? stream->middle : stream->count;
    stream->has_middle = false;
    stream->ends = weft_arena_reserve(stream->arena, stream->ends, stream->part_count, 1,
                                      &stream->part_capacity, sizeof *stream->ends);
    stream->ends[stream->part_count++] = stream->count;
}

static void append(struct stream *to, const struct stream *from, size_t first, size_t end) {
    if (first < end) {
        stream_reserve(to, end - first);
        memcpy(&to->steps[to->count], &from->steps[first], (end - first) * sizeof *to->steps);
        to->count += end - first;
    }
}

/* Room for all of the host and the guests, which saves copying what was appended before. */
static void reserve_for(struct stream *to, const struct stream *host, size_t guest_count,
                        const struct stream *guests) {
    size_t steps = host->count;
    for (size_t i = 0; i < guest_count; i++) {
        steps += guests[i].count;
    }
    stream_reserve(to, steps);
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
    reserve_for(to, host, guest_count, guests);
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
    reserve_for(to, host, guest_count, guests);
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
