"""Columns of strings of any size: in memory, of mapped files, and of lines."""
