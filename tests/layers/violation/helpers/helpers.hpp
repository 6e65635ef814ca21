// Not compiled: in a folder of no layer.
