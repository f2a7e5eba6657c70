"""Parameters of the cost model from measured kernels: `opyard profile calibrate` and `score`."""
