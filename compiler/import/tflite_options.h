// Inside the C++ reader of TFLite files.
#ifndef WEFT_COMPILER_IMPORT_TFLITE_OPTIONS_H
#define WEFT_COMPILER_IMPORT_TFLITE_OPTIONS_H

#include "compiler/import/tflite_file.h"

#include "tflite_generated.h"

// Fills *options; SQUEEZE's list of axes alone is left to the caller.
void tflite_options_read(const weft::tflite::Operator *from, tflite_options *options);

#endif
