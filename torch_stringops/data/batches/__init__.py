"""Batches of rows in memory: a map-style dataset of columns, collate functions, and a sampler."""
