// Not compiled: in no folder.
