// Waveforms as a VCD file. Initiators run ahead of each other, so changes come in any order; they
// are written in the order of time.
#ifndef WEFT_VP_PLATFORM_WAVES_H
#define WEFT_VP_PLATFORM_WAVES_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <systemc>

namespace weft::vp {

class waves {
  public:
    // Takes over an open descriptor; without one, -1, nothing is recorded. An error is one of the
    // report handler.
    explicit waves(int descriptor);
    ~waves();
    waves(const waves &) = delete;
    waves &operator=(const waves &) = delete;

    [[nodiscard]] bool are_on() const {
        return file != nullptr;
    }

    // A signal in a scope, unknown until its first change. All are added before time begins.
    std::size_t add(const std::string &scope, const std::string &name, unsigned bits);

    // `time` is not before the time that settle() was last given.
    void change(std::size_t signal, const sc_core::sc_time &time, std::uint64_t value);

    // Nothing changes before this time any more.
    void settle(const sc_core::sc_time &time);

    // Writes the rest. False: not everything could be written.
    bool close();

  private:
    struct signal {
        std::string scope;
        std::string name;
        unsigned bits;
    };
    struct change_record {
        std::uint64_t time; // ps
        std::size_t signal;
        std::uint64_t value;
    };
    std::FILE *file = nullptr;
    bool has_header = false;
    std::uint64_t written = UINT64_MAX; // time of the last change in the file
    std::vector<signal> signals;
    std::vector<change_record> changes;

    void write_header();
    void write_until(std::uint64_t time);
};

} // namespace weft::vp

#endif
