"""`opyard bench env`: how many steps the environments make per second."""
