"""Files of this machine and remote ones: paths, maps, compression, URLs, and copies of remote files."""
