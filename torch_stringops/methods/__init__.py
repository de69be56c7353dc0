"""The methods of StringTensor, a class for each family. A method is its docstring and one call."""
