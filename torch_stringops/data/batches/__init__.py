"""Batches of rows in memory: a map-style dataset of columns, and collate functions."""
