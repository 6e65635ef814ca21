// Not compiled: not in a folder.
