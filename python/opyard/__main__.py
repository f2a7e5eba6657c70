"""`python -m opyard` is the command `opyard`."""

import sys

from opyard.cli import main

sys.exit(main())
