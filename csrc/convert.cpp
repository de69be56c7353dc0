#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_convert", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
PyMODINIT_FUNC PyInit__convert() { return PyModule_Create(&module); }
