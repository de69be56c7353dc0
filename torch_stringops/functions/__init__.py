"""The public functions, by family. tools/write_functions.py writes those that call methods of StringTensor."""
