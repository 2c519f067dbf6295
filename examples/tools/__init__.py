"""Tools of one file each, and what lessons and tools share."""
