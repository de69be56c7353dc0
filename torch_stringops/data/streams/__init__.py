"""Batches of the rows of files of any size, read in blocks."""
