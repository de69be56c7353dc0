"""Files of this machine and remote ones: paths, maps, compression, URLs, manifests, and copies of remote files."""
