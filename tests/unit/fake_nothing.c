/* A library that is none of the RTL. */
extern const char weft_test_nothing[];
const char weft_test_nothing[] = "nothing";
