"""python -m srcgrad"""
import sys

from srcgrad.cli import main

sys.exit(main())
