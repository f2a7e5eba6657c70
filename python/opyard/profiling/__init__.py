"""`opyard profile measure` and `opyard profile fit-trace`: measured kernels of a device."""
