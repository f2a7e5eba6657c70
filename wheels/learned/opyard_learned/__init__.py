"""The agents of opyard that learn: a module of LibTorch, which `opyard.learned` loads."""
