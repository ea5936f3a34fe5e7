#include "vp/platform/plic.h"

namespace weft::vp {

namespace {

enum : std::uint32_t {
    PRIORITY = 0,
    PENDING = 0x1000,
    ENABLE = 0x2000,
    THRESHOLD = 0x200000,
    CLAIM = 0x200004,
    WORD = 4,
    WORD_BITS = 32,
    LARGEST_PRIORITY = 7,
    MASK_BYTES = plic::SOURCES / 8,
};

bool is_in(std::uint32_t offset, std::uint32_t place, std::uint32_t bytes) {
    return offset >= place && offset - place < bytes;
}

} // namespace

plic::plic(sc_core::sc_module_name name, const std::vector<unsigned> &sources)
    : peripheral(name), inputs("inputs", sources.size()), numbers(sources) {
    SC_HAS_PROCESS(plic);
    SC_METHOD(sample);
    for (sc_core::sc_in<bool> &input : inputs) {
        sensitive << input;
    }
    SC_METHOD(drive);
    sensitive << changed;
}

// The gateways.
void plic::sample() {
    for (std::size_t i = 0; i < numbers.size(); i++) {
        source &source = sources[numbers[i]];
        source.level = inputs[i].read();
        source.pending = source.pending || (source.level && !source.claimed);
    }
    changed.notify(sc_core::SC_ZERO_TIME);
}

unsigned plic::best() const {
    unsigned found = 0;
    for (unsigned i = 1; i < SOURCES; i++) {
        const source &source = sources[i];
        if (source.pending && source.enabled && source.priority > sources[found].priority) {
            found = i;
        }
    }
    return found;
}

void plic::drive() {
    const unsigned number = best();
    external.write(number != 0 && sources[number].priority > threshold);
}

unsigned plic::claim() {
    const unsigned number = best();
    if (number != 0) {
        sources[number].pending = false;
        sources[number].claimed = true;
    }
    return number;
}

void plic::complete(unsigned number) {
    if (number < SOURCES && sources[number].enabled && sources[number].claimed) {
        sources[number].claimed = false;
        sources[number].pending = sources[number].level;
    }
}

bool plic::read(std::uint32_t offset, unsigned bytes, std::uint64_t &value,
                const sc_core::sc_time &delay) {
    value = 0;
    if (bytes != WORD) {
        return false;
    }
    if (is_in(offset, PRIORITY, WORD * SOURCES)) {
        value = sources[offset / WORD].priority;
    } else if (is_in(offset, PENDING, MASK_BYTES) || is_in(offset, ENABLE, MASK_BYTES)) {
        const unsigned first = offset % ENABLE % PENDING * 8;
        for (unsigned i = 0; i < WORD_BITS; i++) {
            const source &source = sources[first + i];
            value |= std::uint64_t{offset < ENABLE ? source.pending : source.enabled} << i;
        }
    } else if (offset == THRESHOLD) {
        value = threshold;
    } else if (offset == CLAIM) {
        value = claim();
        changed.notify(delay);
    } else {
        return false;
    }
    return true;
}

bool plic::write(std::uint32_t offset, unsigned bytes, std::uint64_t value,
                 const sc_core::sc_time &delay) {
    if (bytes != WORD) {
        return false;
    }
    if (is_in(offset, WORD, WORD * (SOURCES - 1))) { // source 0 does not exist
        sources[offset / WORD].priority = static_cast<std::uint32_t>(value) & LARGEST_PRIORITY;
    } else if (is_in(offset, ENABLE, MASK_BYTES)) {
        for (unsigned i = 0; i < WORD_BITS; i++) {
            sources[offset % ENABLE * 8 + i].enabled = (value >> i & 1) != 0;
        }
    } else if (offset == THRESHOLD) {
        threshold = static_cast<std::uint32_t>(value) & LARGEST_PRIORITY;
    } else if (offset == CLAIM) {
        complete(static_cast<unsigned>(value));
    } else if (offset != PRIORITY && !is_in(offset, PENDING, MASK_BYTES)) {
        return false;
    }
    changed.notify(delay);
    return true;
}

} // namespace weft::vp
