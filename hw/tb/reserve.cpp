#include "hw/tb/reserve.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

namespace {

enum : size_t {
    LIBRARY_BYTES = 1 << 16, /* for the library's own initialisation, before any machine */
    ALIGNMENT = 64,
};

alignas(ALIGNMENT) unsigned char library_bytes[LIBRARY_BYTES];
weft_reserve library = {library_bytes, LIBRARY_BYTES, 0, {}};
thread_local weft_reserve *in_use = nullptr;

/* Rounded up, so that every block is aligned for anything. */
void *take(size_t length) {
    weft_reserve *reserve = in_use == nullptr ? &library : in_use;
    size_t rounded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (length > reserve->length || rounded > reserve->length - reserve->used) {
        throw std::bad_alloc();
    }
    void *memory = reserve->bytes + reserve->used;
    reserve->used += rounded;
    return memory;
}

bool is_inside(const weft_reserve *reserve, const void *memory) {
    auto at = reinterpret_cast<uintptr_t>(memory);
    auto first = reinterpret_cast<uintptr_t>(reserve->bytes);
    return reserve->bytes != nullptr && at >= first && at < first + reserve->length;
}

void *allocate(size_t length, size_t alignment) {
    size_t rounded = (length + alignment - 1) / alignment * alignment;
    void *memory = alignment <= alignof(std::max_align_t) ? malloc(length == 0 ? 1 : length)
                                                          : aligned_alloc(alignment, rounded);
    return memory == nullptr ? take(length) : memory;
}

/* What came from a reserve goes with it. */
void release(void *memory) {
    if (!is_inside(&library, memory) && (in_use == nullptr || !is_inside(in_use, memory))) {
        free(memory);
    }
}

} // namespace

bool weft_reserve_open(weft_reserve *reserve, size_t length) {
    size_t rounded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    auto *bytes = static_cast<unsigned char *>(aligned_alloc(ALIGNMENT, rounded));
    bool good = bytes != nullptr;
    *reserve = {bytes, good ? rounded : 0, 0, {}};
    for (char *&name : reserve->names) {
        name = static_cast<char *>(malloc(WEFT_RESERVE_NAME));
        good = good && name != nullptr;
    }
    if (!good) {
        weft_reserve_close(reserve);
    }
    return good;
}

void weft_reserve_close(weft_reserve *reserve) {
    for (char *name : reserve->names) {
        free(name);
    }
    free(reserve->bytes);
    *reserve = {};
}

weft_reserve *weft_reserve_use(weft_reserve *reserve) {
    weft_reserve *before = in_use;
    in_use = reserve;
    return before;
}

char *weft_reserve_string(const char *text) {
    size_t length = strlen(text) + 1;
    auto *copy = static_cast<char *>(malloc(length));
    for (size_t i = 0; copy == nullptr && in_use != nullptr && i < std::size(in_use->names); i++) {
        if (in_use->names[i] != nullptr && length <= WEFT_RESERVE_NAME) {
            copy = in_use->names[i];
            in_use->names[i] = nullptr;
            in_use->used += ALIGNMENT; /* says that it was needed */
        }
    }
    if (copy == nullptr) {
        throw std::bad_alloc();
    }
    memcpy(copy, text, length);
    return copy;
}

void *operator new(size_t length) {
    return allocate(length, 1);
}
void *operator new[](size_t length) {
    return allocate(length, 1);
}
void *operator new(size_t length, std::align_val_t alignment) {
    return allocate(length, static_cast<size_t>(alignment));
}
void *operator new[](size_t length, std::align_val_t alignment) {
    return allocate(length, static_cast<size_t>(alignment));
}
void operator delete(void *memory) noexcept {
    release(memory);
}
void operator delete[](void *memory) noexcept {
    release(memory);
}
void operator delete(void *memory, size_t) noexcept {
    release(memory);
}
void operator delete[](void *memory, size_t) noexcept {
    release(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete[](void *memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void *memory, size_t, std::align_val_t) noexcept {
    release(memory);
}
void operator delete[](void *memory, size_t, std::align_val_t) noexcept {
    release(memory);
}
