// Weft in C++17 and later: weft.h with objects that release themselves, and failures as exceptions.
//
//     weft::Network network = weft::Network::load("model.tflite");
//     weft::Runner runner(network, "cycle");
//     runner.set_input(0, elements);
//     runner.run();
//     std::vector<std::int8_t> result = runner.output<std::int8_t>(0);
//
// Everything is inline: no name of C++ is part of the library's interface. Objects are moved, not
// copied. What the functions do, and how they fail, is written in weft.h.
#ifndef WEFT_WEFT_HPP
#define WEFT_WEFT_HPP

#include <weft/weft.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/// What went wrong: what() says it.
class Error : public std::runtime_error {
  public:
    explicit Error(const weft_failure &failure)
        : std::runtime_error(failure.message), code_(failure.code), position_(failure.position) {
    }

    /// One of enum weft_failure_code.
    std::int32_t code() const {
        return code_;
    }
    /// Where, in bytes, lines, instructions or operators, as the message says.
    std::uint64_t position() const {
        return position_;
    }

  private:
    std::int32_t code_;
    std::uint64_t position_;
};

namespace detail {

/// Calls a function of weft.h, whose last argument is the failure.
template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments) {
    weft_failure failure;
    if (!function(arguments..., &failure)) {
        throw Error(failure);
    }
}

template <typename Object, void (*release)(Object *)> struct Releaser {
    void operator()(Object *object) const {
        release(object);
    }
};

template <typename Object, void (*release)(Object *)>
using Owner = std::unique_ptr<Object, Releaser<Object, release>>;

/// A text that the library handed over.
inline std::string take(char *text) {
    const std::unique_ptr<char, void (*)(void *)> owner(text, weft_free);
    return text == nullptr ? std::string() : std::string(text);
}

} // namespace detail

/// Version of the library: "MAJOR.MINOR.PATCH".
inline std::string version() {
    return weft_library_version();
}

/// Names and values, as weft.h lists them.
class Options {
  public:
    Options() {
        weft_options *options = nullptr;
        detail::call(weft_options_create, &options);
        owner_.reset(options);
    }

    Options(std::initializer_list<std::pair<const char *, std::string>> list) : Options() {
        for (const auto &option : list) {
            set(option.first, option.second);
        }
    }

    Options &set(const std::string &name, const std::string &value) {
        detail::call(weft_options_set, owner_.get(), name.c_str(), value.c_str());
        return *this;
    }

    Options &set(const std::string &name, std::uint64_t value) {
        return set(name, std::to_string(value));
    }

    const weft_options *get() const {
        return owner_.get();
    }

  private:
    detail::Owner<weft_options, weft_options_free> owner_;
};

/// A configuration of the machine.
class Machine {
  public:
    /// One that is built in, or of a JSON file.
    explicit Machine(const std::string &name) {
        weft_machine *machine = nullptr;
        detail::call(weft_machine_find, name.c_str(), &machine);
        owner_.reset(machine);
    }

    static Machine parse(const std::string &json) {
        weft_machine *machine = nullptr;
        detail::call(weft_machine_parse, json.data(), json.size(), &machine);
        return Machine(machine);
    }

    /// One like this with other parameters.
    Machine change(const std::string &name,
                   const std::vector<std::pair<std::string, std::uint32_t>> &parameters) const {
        std::vector<const char *> names;
        std::vector<std::uint32_t> values;
        for (const auto &parameter : parameters) {
            names.push_back(parameter.first.c_str());
            values.push_back(parameter.second);
        }
        weft_machine *changed = nullptr;
        detail::call(weft_machine_change, get(), name.c_str(), names.size(), names.data(),
                     values.data(), &changed);
        return Machine(changed);
    }

    std::string name() const {
        return weft_machine_name(get());
    }
    std::uint64_t fingerprint() const {
        return weft_machine_fingerprint(get());
    }

    std::uint32_t parameter(const std::string &name) const {
        std::uint32_t value = 0;
        detail::call(weft_machine_parameter, get(), name.c_str(), &value);
        return value;
    }

    std::string json() const {
        char *text = nullptr;
        detail::call(weft_machine_json, get(), &text);
        return detail::take(text);
    }

    const weft_machine *get() const {
        return owner_.get();
    }

  private:
    explicit Machine(weft_machine *machine) : owner_(machine) {
    }

    detail::Owner<weft_machine, weft_machine_free> owner_;
};

/// What an input or output is. It must not outlive its network or quantizer.
class Tensor {
  public:
    explicit Tensor(const weft_tensor *tensor) : tensor_(tensor) {
        if (tensor == nullptr) {
            throw std::out_of_range("there is no such tensor");
        }
    }

    std::string name() const {
        return weft_tensor_name(tensor_);
    }
    std::string element() const {
        return weft_tensor_element(tensor_);
    }
    std::size_t elements() const {
        return weft_tensor_elements(tensor_);
    }
    std::size_t bytes() const {
        return weft_tensor_bytes(tensor_);
    }
    std::size_t scales() const {
        return weft_tensor_scales(tensor_, nullptr);
    }
    double scale(std::size_t index = 0) const {
        return weft_tensor_scale(tensor_, index);
    }
    std::int32_t zero_point(std::size_t index = 0) const {
        return weft_tensor_zero_point(tensor_, index);
    }

    std::vector<std::int64_t> shape() const {
        std::vector<std::int64_t> dims;
        for (std::size_t axis = 0; axis < weft_tensor_rank(tensor_); axis++) {
            dims.push_back(weft_tensor_dim(tensor_, axis));
        }
        return dims;
    }

    std::vector<std::uint8_t> quantize(const std::vector<float> &numbers) const {
        std::vector<std::uint8_t> elements(bytes());
        detail::call(weft_tensor_quantize, tensor_, numbers.data(), numbers.size(),
                     static_cast<void *>(elements.data()), elements.size());
        return elements;
    }

    std::vector<float> dequantize(const void *elements, std::size_t length) const {
        std::vector<float> numbers(this->elements());
        detail::call(weft_tensor_dequantize, tensor_, elements, length, numbers.data(),
                     numbers.size());
        return numbers;
    }

  private:
    const weft_tensor *tensor_;
};

/// A network that is compiled for a machine.
class Network {
  public:
    static Network load(const std::string &path, const Machine *machine = nullptr,
                        const Options *options = nullptr) {
        weft_network *network = nullptr;
        detail::call(weft_network_load, path.c_str(), raw(machine), raw(options), &network);
        return Network(network);
    }

    static Network make(const void *bytes, std::size_t length, const Machine *machine = nullptr,
                        const Options *options = nullptr) {
        weft_network *network = nullptr;
        detail::call(weft_network_make, bytes, length, raw(machine), raw(options), &network);
        return Network(network);
    }

    std::string name() const {
        return weft_network_name(get());
    }
    std::size_t inputs() const {
        return weft_network_inputs(get());
    }
    std::size_t outputs() const {
        return weft_network_outputs(get());
    }
    Tensor input(std::size_t index) const {
        return Tensor(weft_network_input(get(), index));
    }
    Tensor output(std::size_t index) const {
        return Tensor(weft_network_output(get(), index));
    }

    std::uint64_t figure(const std::string &name) const {
        std::uint64_t value = 0;
        detail::call(weft_network_figure, get(), name.c_str(), &value);
        return value;
    }

    /// What was proved, a line for each program.
    std::string verify() const {
        char *text = nullptr;
        detail::call(weft_network_verify, get(), &text);
        return detail::take(text);
    }

    std::string decisions() const {
        char *text = nullptr;
        detail::call(weft_network_decisions, get(), &text);
        return detail::take(text);
    }

    std::vector<std::uint8_t> write() {
        void *bytes = nullptr;
        std::size_t length = 0;
        detail::call(weft_network_write, owner_.get(), &bytes, &length);
        const std::unique_ptr<void, void (*)(void *)> owner(bytes, weft_free);
        const auto *first = static_cast<const std::uint8_t *>(bytes);
        return std::vector<std::uint8_t>(first, first + length);
    }

    void save(const std::string &path) {
        detail::call(weft_network_save, owner_.get(), path.c_str());
    }

    const weft_network *get() const {
        return owner_.get();
    }
    weft_network *get() {
        return owner_.get();
    }

  private:
    friend class Quantizer;

    explicit Network(weft_network *network) : owner_(network) {
    }

    template <typename Object> static auto raw(const Object *object) -> decltype(object->get()) {
        return object == nullptr ? nullptr : object->get();
    }

    detail::Owner<weft_network, weft_network_free> owner_;
};

/// A network on a target.
class Runner {
  public:
    explicit Runner(Network &network, const std::string &target = "cycle",
                    const Options *options = nullptr) {
        weft_runner *runner = nullptr;
        detail::call(weft_runner_open, network.get(), target.c_str(),
                     options == nullptr ? nullptr : options->get(), &runner);
        owner_.reset(runner);
    }

    void set_input(std::size_t index, const void *elements, std::size_t length) {
        detail::call(weft_runner_set_input, owner_.get(), index, elements, length);
    }

    template <typename Element>
    void set_input(std::size_t index, const std::vector<Element> &elements) {
        set_input(index, elements.data(), elements.size() * sizeof(Element));
    }

    void run() {
        detail::call(weft_runner_run, owner_.get());
    }
    void reset() {
        detail::call(weft_runner_reset, owner_.get());
    }

    /// Calls this during runs, as weft_runner_on_progress() says; it must not throw. Empty:
    /// nothing.
    void on_progress(std::function<void(std::uint64_t cycle, std::uint64_t last)> progress) {
        progress_ = std::make_unique<Progress>(std::move(progress));
        weft_runner_on_progress(owner_.get(), *progress_ ? tell : nullptr, progress_.get());
    }

    /// A copy of an output, whose elements are of this type.
    template <typename Element> std::vector<Element> output(std::size_t index) const {
        const void *bytes = nullptr;
        std::size_t length = 0;
        detail::call(weft_runner_output, get(), index, &bytes, &length);
        const auto *first = static_cast<const Element *>(bytes);
        return std::vector<Element>(first, first + length / sizeof(Element));
    }

    std::uint64_t cycles() const {
        return weft_runner_cycles(get());
    }

    std::uint64_t counter(const std::string &name) const {
        std::uint64_t value = 0;
        detail::call(weft_runner_counter, get(), name.c_str(), &value);
        return value;
    }

    /// What the last run took, as JSON.
    std::string report() const {
        char *text = nullptr;
        detail::call(weft_runner_report, get(), &text);
        return detail::take(text);
    }

    /// Writes a page that shows where every cycle went.
    void page(const std::string &path) const {
        detail::call(weft_runner_page, get(), path.c_str());
    }

    /// Writes every cycle for Perfetto.
    void trace(const std::string &path) const {
        detail::call(weft_runner_trace, get(), path.c_str());
    }

    const weft_runner *get() const {
        return owner_.get();
    }

  private:
    using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

    static void tell(void *progress, std::uint64_t cycle, std::uint64_t last) {
        (*static_cast<Progress *>(progress))(cycle, last);
    }

    std::unique_ptr<Progress> progress_; // where it stays when the runner is moved
    detail::Owner<weft_runner, weft_runner_close> owner_;
};

} // namespace weft

#endif
