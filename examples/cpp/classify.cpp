// From a picture to its class, with the cycles that the accelerator takes for it.
//
//     c++ -std=c++17 classify.cpp $(pkg-config --cflags --libs weft) -o classify
//     ./classify MODEL PICTURE [TARGET]
//
// MODEL is a TFLite, ONNX or .weft file of a classifier with one picture as input, PICTURE a PGM or
// PPM of the size that it wants, TARGET cycle or any other that docs/library.md lists.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <weft/weft.hpp>

namespace {

struct Picture {
    std::vector<std::int64_t> shape; // 1, height, width, channels
    std::vector<float> numbers;      // 0 to 1
};

// Reads a binary PGM (P5) or PPM (P6) without comments.
Picture read_picture(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::string kind;
    std::int64_t width = 0;
    std::int64_t height = 0;
    int most = 0;
    file >> kind >> width >> height >> most;
    const bool good = file && (kind == "P5" || kind == "P6") && most == 255 && width > 0 &&
                      width <= 4096 && height > 0 && height <= 4096;
    if (!good) {
        throw std::runtime_error(path + " is no PGM or PPM file");
    }
    Picture picture;
    picture.shape = {1, height, width, kind == "P5" ? 1 : 3};
    std::vector<unsigned char> bytes(static_cast<std::size_t>(width * height * picture.shape[3]));
    file.get();
    file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) {
        throw std::runtime_error(path + " ends too early");
    }
    for (const unsigned char byte : bytes) {
        picture.numbers.push_back(static_cast<float>(byte) / 255.0F);
    }
    return picture;
}

void classify(const std::string &model, const std::string &path, const std::string &target) {
    const Picture picture = read_picture(path);
    weft::Network network = weft::Network::load(model);
    const weft::Tensor input = network.input(0);
    if (input.shape() != picture.shape) {
        throw std::runtime_error("the picture does not have the shape of the input " +
                                 input.name());
    }
    weft::Runner runner(network, target);
    runner.set_input(0, input.quantize(picture.numbers));
    runner.run();
    const auto elements = runner.output<std::uint8_t>(0);
    const auto numbers = network.output(0).dequantize(elements.data(), elements.size());
    const auto best = std::max_element(numbers.begin(), numbers.end());
    std::cout.setf(std::ios::fixed);
    std::cout.precision(3);
    std::cout << "class " << best - numbers.begin() << " (" << *best << ") after "
              << runner.cycles() << " cycles\n";
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        std::cerr << "usage: classify MODEL PICTURE [TARGET]\n";
        return 2;
    }
    try {
        classify(argv[1], argv[2], argc == 4 ? argv[3] : "cycle");
    } catch (const std::exception &error) {
        std::cerr << argv[1] << ": " << error.what() << "\n";
        return 2;
    }
    return 0;
}
