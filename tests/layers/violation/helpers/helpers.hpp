// Not compiled: its folder is not in the table of layers.
