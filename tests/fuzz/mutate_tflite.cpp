// TFLite models: scalars, lengths and references of a FlatBuffers structure are changed in place,
// and what the verifier would refuse is taken back.
#include <flatbuffers/minireflect.h>

#include <cstring>
#include <map>
#include <vector>

#include "tests/fuzz/mutate.h"
#include "tflite_reflected_generated.h"

namespace {

using flatbuffers::ReadScalar;
using flatbuffers::TypeTable;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

enum {
    MOST_ELEMENTS = 16, // of a vector of scalars that are changed
    MOST_SLOTS = 1 << 14,
    DEEPEST = 64, // tables in tables
};

enum class Kind {
    scalar,
    length,
    reference,
    field
};

// A place that can be changed.
struct Slot {
    Kind kind;
    uint8_t *at;
    size_t size;       // scalar: bytes; length: what it is now
    uint8_t *first;    // reference: the first element of its vector
    uint32_t elements; // reference: of its vector
};

class Walk {
  public:
    // By the field of the schema: each is chosen as often as any other, whether a model has one of
    // it or thousands.
    std::map<const flatbuffers::TypeCode *, std::vector<Slot>> groups;

    Walk(const uint8_t *data, size_t size) : begin(data), end(data + size) {
    }

    void table(uint8_t *at, const TypeTable *type) {
        if (depth == DEEPEST || !holds(at, sizeof(flatbuffers::soffset_t))) {
            return;
        }
        uint8_t *vtable = at - ReadScalar<flatbuffers::soffset_t>(at);
        voffset_t length = holds(vtable, sizeof length) ? ReadScalar<voffset_t>(vtable) : 0;
        if (!holds(vtable, length)) {
            return;
        }
        depth++;
        fields(at, vtable, length, type);
        depth--;
    }

  private:
    const uint8_t *begin;
    const uint8_t *end;
    size_t count_of_slots = 0;
    size_t depth = 0;

    void fields(uint8_t *at, uint8_t *vtable, voffset_t length, const TypeTable *type) {
        const uint8_t *before = nullptr; // the field before: it tells the type of a union
        for (size_t i = 0; i < type->num_elems && count_of_slots < MOST_SLOTS; i++) {
            voffset_t entry = flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(i));
            if (entry + sizeof(voffset_t) > length) {
                break;
            }
            voffset_t offset = ReadScalar<voffset_t>(vtable + entry);
            uint8_t *value = offset == 0 ? nullptr : at + offset;
            if (value != nullptr && holds(value, sizeof(uint64_t))) {
                add(type->type_codes[i], {Kind::field, vtable + entry, sizeof offset, nullptr, 0});
                field(value, type, type->type_codes[i], before);
            }
            before = value;
        }
    }

    void add(const flatbuffers::TypeCode &field, const Slot &slot) {
        groups[&field].push_back(slot);
        count_of_slots++;
    }

    // The verifier leaves out what is deprecated, so that anything may stand there.
    bool holds(const uint8_t *at, size_t length) const {
        return at >= begin && at <= end && length <= static_cast<size_t>(end - at);
    }

    static uint8_t *follow(uint8_t *at) {
        return at + ReadScalar<uoffset_t>(at);
    }

    static size_t size_of(uint16_t base) {
        return flatbuffers::InlineSize(static_cast<flatbuffers::ElementaryType>(base), nullptr);
    }

    void field(uint8_t *value, const TypeTable *type, const flatbuffers::TypeCode &code,
               const uint8_t *before) {
        const TypeTable *inner =
            code.sequence_ref < 0 ? nullptr : type->type_refs[code.sequence_ref]();
        if (code.is_repeating != 0) {
            vector(follow(value), code, inner);
        } else if (code.base_type == flatbuffers::ET_SEQUENCE) {
            sequence(follow(value), inner, before);
        } else if (code.base_type != flatbuffers::ET_STRING) {
            add(code, {Kind::scalar, value, size_of(code.base_type), nullptr, 0});
        }
    }

    void sequence(uint8_t *at, const TypeTable *type, const uint8_t *before) {
        if (type->st == flatbuffers::ST_TABLE) {
            table(at, type);
        } else if (type->st == flatbuffers::ST_UNION && before != nullptr &&
                   *before < type->num_elems) {
            const flatbuffers::TypeCode &code = type->type_codes[*before];
            if (code.base_type == flatbuffers::ET_SEQUENCE && code.sequence_ref >= 0) {
                sequence(at, type->type_refs[code.sequence_ref](), nullptr);
            }
        }
    }

    void vector(uint8_t *at, const flatbuffers::TypeCode &code, const TypeTable *inner) {
        if (!holds(at, sizeof(uoffset_t))) {
            return;
        }
        uint32_t count = ReadScalar<uoffset_t>(at);
        uint8_t *first = at + sizeof(uoffset_t);
        bool references =
            code.base_type == flatbuffers::ET_SEQUENCE || code.base_type == flatbuffers::ET_STRING;
        size_t size = references ? sizeof(uoffset_t) : size_of(code.base_type);
        if (count == 0 || !holds(first, count * size)) {
            return;
        }
        add(code, {Kind::length, at, count, nullptr, 0});
        for (uint32_t i = 0; i < count && count_of_slots < MOST_SLOTS; i++) {
            if (references) {
                uint8_t *element = first + i * sizeof(uoffset_t);
                add(code, {Kind::reference, element, sizeof(uoffset_t), first, count});
                if (code.base_type == flatbuffers::ET_SEQUENCE) {
                    sequence(follow(element), inner, nullptr);
                }
            } else if (i < MOST_ELEMENTS) {
                add(code, {Kind::scalar, first + i * size, size, nullptr, 0});
            }
        }
    }
};

void change_scalar(const Slot &slot, const std::vector<Slot> &slots, unsigned *seed) {
    const Slot &other = slots[mutate_random(seed, static_cast<uint32_t>(slots.size()))];
    uint8_t kept[8];
    switch (mutate_random(seed, 4)) {
    case 0: { // a small number
        int64_t value = static_cast<int64_t>(mutate_random(seed, 12)) - 2;
        std::memcpy(slot.at, &value, slot.size);
        break;
    }
    case 1: // what stands elsewhere
        if (other.kind == Kind::scalar && other.size == slot.size) {
            std::memmove(slot.at, other.at, slot.size);
            break;
        }
        [[fallthrough]];
    default: // an element keeps its size
        std::memcpy(kept, slot.at, slot.size);
        if (LLVMFuzzerMutate(kept, slot.size, slot.size) == slot.size) {
            std::memcpy(slot.at, kept, slot.size);
        }
    }
}

void change(const Walk &walk, unsigned *seed) {
    auto group = std::next(walk.groups.begin(),
                           mutate_random(seed, static_cast<uint32_t>(walk.groups.size())));
    const std::vector<Slot> &slots = group->second;
    const Slot &slot = slots[mutate_random(seed, static_cast<uint32_t>(slots.size()))];
    switch (slot.kind) {
    case Kind::scalar:
        change_scalar(slot, slots, seed);
        break;
    case Kind::length: // never longer: what follows is something else
        flatbuffers::WriteScalar(slot.at,
                                 mutate_random(seed, static_cast<uint32_t>(slot.size) + 1));
        break;
    case Kind::reference: { // what another element refers to
        uint8_t *other = slot.first + mutate_random(seed, slot.elements) * sizeof(uoffset_t);
        uint8_t *target = other + ReadScalar<uoffset_t>(other);
        if (target > slot.at) {
            flatbuffers::WriteScalar(slot.at, static_cast<uoffset_t>(target - slot.at));
        }
        break;
    }
    case Kind::field: // its default takes its place
        if (mutate_random(seed, 4) == 0) {
            flatbuffers::WriteScalar(slot.at, voffset_t{0});
        }
        break;
    }
}

bool is_model(const uint8_t *data, size_t size) {
    flatbuffers::Verifier verifier(data, size);
    return weft::tflite::VerifyModelBuffer(verifier);
}

} // namespace

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    // Half of the time as it stands: most of that is refused at once, while what verifies takes
    // time to compile.
    if (mutate_random(&seed, 2) == 0 || !is_model(data, size)) {
        return LLVMFuzzerMutate(data, size, most);
    }
    Walk walk(data, size);
    walk.table(data + ReadScalar<uoffset_t>(data), weft::tflite::ModelTypeTable());
    if (walk.groups.empty()) {
        return LLVMFuzzerMutate(data, size, most);
    }
    std::vector<uint8_t> before(data, data + size);
    uint32_t changes = mutate_random(&seed, 2) == 0 ? 1 : 1 + mutate_random(&seed, 4);
    for (uint32_t i = 0; i < changes; i++) {
        change(walk, &seed);
    }
    if (!is_model(data, size)) {
        std::memcpy(data, before.data(), size);
        return LLVMFuzzerMutate(data, size, most);
    }
    return size;
}
