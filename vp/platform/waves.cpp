#include "vp/platform/waves.h"

#include <algorithm>
#include <cinttypes>

namespace weft::vp {

namespace {

constexpr std::size_t ENOUGH = 1 << 16; // changes that are worth sorting and writing

// Names of signals in the file: printable characters, ! to ~.
std::string code_of(std::size_t signal) {
    std::string code;
    do {
        code += static_cast<char>('!' + signal % 94);
        signal /= 94;
    } while (signal > 0);
    return code;
}

std::uint64_t picoseconds(const sc_core::sc_time &time) {
    static const std::uint64_t unit = sc_core::sc_time(1, sc_core::SC_PS).value();
    return time.value() / unit;
}

} // namespace

waves::waves(int descriptor) {
    if (descriptor >= 0) {
        file = fdopen(descriptor, "w");
        if (file == nullptr) {
            SC_REPORT_ERROR("/weft/waves", "the file for waveforms is not open");
        }
    }
}

waves::~waves() {
    (void)close();
}

std::size_t waves::add(const std::string &scope, const std::string &name, unsigned bits) {
    signals.push_back({scope, name, bits});
    return signals.size() - 1;
}

void waves::change(std::size_t signal, const sc_core::sc_time &time, std::uint64_t value) {
    if (are_on()) {
        changes.push_back({picoseconds(time), signal, value});
    }
}

void waves::settle(const sc_core::sc_time &time) {
    if (changes.size() >= ENOUGH) {
        write_until(picoseconds(time));
    }
}

void waves::write_header() {
    std::fputs("$timescale 1 ps $end\n", file);
    for (std::size_t i = 0; i < signals.size(); i++) {
        const bool is_first = i == 0 || signals[i].scope != signals[i - 1].scope;
        const bool is_last = i + 1 == signals.size() || signals[i].scope != signals[i + 1].scope;
        if (is_first) {
            std::fprintf(file, "$scope module %s $end\n", signals[i].scope.c_str());
        }
        std::fprintf(file, "$var wire %u %s %s $end\n", signals[i].bits, code_of(i).c_str(),
                     signals[i].name.c_str());
        if (is_last) {
            std::fputs("$upscope $end\n", file);
        }
    }
    std::fputs("$enddefinitions $end\n", file);
    has_header = true;
}

void waves::write_until(std::uint64_t time) {
    if (!has_header) {
        write_header();
    }
    std::stable_sort(
        changes.begin(), changes.end(),
        [](const change_record &a, const change_record &b) { return a.time < b.time; });
    std::size_t count = 0;
    while (count < changes.size() && changes[count].time <= time) {
        const change_record &change = changes[count++];
        const std::string code = code_of(change.signal);
        if (change.time != written) {
            std::fprintf(file, "#%" PRIu64 "\n", change.time);
            written = change.time;
        }
        if (signals[change.signal].bits == 1) {
            std::fprintf(file, "%u%s\n", change.value != 0 ? 1U : 0U, code.c_str());
            continue;
        }
        std::string digits;
        for (unsigned bit = signals[change.signal].bits; bit-- > 0;) {
            digits += (change.value >> bit & 1) != 0 ? '1' : '0';
        }
        std::fprintf(file, "b%s %s\n", digits.c_str(), code.c_str());
    }
    changes.erase(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(count));
}

bool waves::close() {
    if (file == nullptr) {
        return true;
    }
    write_until(UINT64_MAX);
    const bool good = std::ferror(file) == 0;
    const bool closed = std::fclose(file) == 0;
    file = nullptr;
    return good && closed;
}

} // namespace weft::vp
