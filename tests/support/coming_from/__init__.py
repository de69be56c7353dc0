"""The rows of docs/coming_from.md, on strings that separate the libraries."""
