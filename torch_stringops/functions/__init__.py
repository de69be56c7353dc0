"""The public functions, by family. Most are methods of StringTensor: `function_of`."""
