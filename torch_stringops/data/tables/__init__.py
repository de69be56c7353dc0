"""Columns of CSV, JSON lines, Parquet and Arrow files, read as a whole."""
