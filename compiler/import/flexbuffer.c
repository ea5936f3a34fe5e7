#include "compiler/import/flexbuffer.h"

#include <string.h>

/* Values of type, which stand above two bits for the width of what they point to. */
enum {
    TYPE_INT = 1,
    TYPE_UINT = 2,
    TYPE_FLOAT = 3,
    TYPE_INDIRECT_INT = 6,
    TYPE_INDIRECT_UINT = 7,
    TYPE_INDIRECT_FLOAT = 8,
    TYPE_MAP = 9,
    TYPE_BOOL = 26
};

/* Places count from the start of the buffer; widths are 1, 2, 4 or 8 bytes. */
static bool inside(const struct flexbuffer *buffer, uint64_t place, uint64_t bytes) {
    return bytes <= buffer->length && place <= buffer->length - bytes;
}

static bool read_unsigned(const struct flexbuffer *buffer, uint64_t place, uint32_t width,
                          uint64_t *value) {
    *value = 0;
    if (!inside(buffer, place, width)) {
        return false;
    }
    for (uint32_t i = 0; i < width; i++) {
        *value |= (uint64_t)buffer->data[place + i] << (8 * i);
    }
    return true;
}

/* Follows an offset, which leads back. */
static bool follow(const struct flexbuffer *buffer, uint64_t place, uint32_t width, uint64_t *to) {
    uint64_t offset = 0;
    bool good = read_unsigned(buffer, place, width, &offset) && offset <= place;
    *to = good ? place - offset : 0;
    return good;
}

static bool read_float(uint64_t bits, uint32_t width, double *number) {
    uint32_t single = (uint32_t)bits;
    float value = 0;
    if (width == 8) {
        memcpy(number, &bits, sizeof *number);
    } else {
        memcpy(&value, &single, sizeof value);
        *number = (double)value;
    }
    return width >= 4;
}

static bool read_number(const struct flexbuffer *buffer, uint64_t place, uint32_t width,
                        uint32_t type, double *number) {
    uint64_t bits = 0;
    uint32_t kind = type >> 2;
    if (kind >= TYPE_INDIRECT_INT && kind <= TYPE_INDIRECT_FLOAT) {
        if (!follow(buffer, place, width, &place)) {
            return false;
        }
        width = UINT32_C(1) << (type & 3);
        kind -= TYPE_INDIRECT_INT - TYPE_INT;
    }
    if (!read_unsigned(buffer, place, width, &bits)) {
        return false;
    }
    switch (kind) {
    case TYPE_INT:
        *number = (double)((int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width));
        return true;
    case TYPE_UINT:
    case TYPE_BOOL:
        *number = (double)bits;
        return true;
    case TYPE_FLOAT:
        return read_float(bits, width, number);
    default:
        return false;
    }
}

/* A map: its values, before them how many there are, the width of its keys, and where they are;
 * behind them their types. */
struct map {
    uint64_t values, keys, count;
    uint32_t width, key_width;
};

static bool read_map(const struct flexbuffer *buffer, struct map *map) {
    uint64_t key_width = 0;
    if (buffer->length < 3) {
        return false;
    }
    uint32_t root_width = buffer->data[buffer->length - 1];
    uint32_t type = buffer->data[buffer->length - 2];
    if ((root_width != 1 && root_width != 2 && root_width != 4 && root_width != 8) ||
        type >> 2 != TYPE_MAP || buffer->length < 2 + root_width ||
        !follow(buffer, buffer->length - 2 - root_width, root_width, &map->values)) {
        return false;
    }
    map->width = UINT32_C(1) << (type & 3);
    uint64_t before = 3 * (uint64_t)map->width;
    if (map->values < before || !follow(buffer, map->values - before, map->width, &map->keys) ||
        !read_unsigned(buffer, map->values - 2 * (uint64_t)map->width, map->width, &key_width) ||
        !read_unsigned(buffer, map->values - map->width, map->width, &map->count)) {
        return false;
    }
    map->key_width = (uint32_t)key_width;
    return (key_width == 1 || key_width == 2 || key_width == 4 || key_width == 8) &&
           map->count <= buffer->length &&
           inside(buffer, map->values, map->count * (map->width + 1)) &&
           inside(buffer, map->keys, map->count * key_width);
}

static bool is_named(const struct flexbuffer *buffer, uint64_t key, const char *name) {
    size_t length = strlen(name) + 1;
    return inside(buffer, key, length) && memcmp(buffer->data + key, name, length) == 0;
}

bool flexbuffer_number(const struct flexbuffer *buffer, const char *name, double *number) {
    struct map map = {0};
    uint64_t key = 0;
    if (!read_map(buffer, &map)) {
        return false;
    }
    for (uint64_t i = 0; i < map.count; i++) {
        if (follow(buffer, map.keys + i * map.key_width, map.key_width, &key) &&
            is_named(buffer, key, name)) {
            uint32_t type = buffer->data[map.values + map.count * map.width + i];
            return read_number(buffer, map.values + i * map.width, map.width, type, number);
        }
    }
    return false;
}
