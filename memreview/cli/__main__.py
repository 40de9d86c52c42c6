import sys

from memreview.cli import main

sys.exit(main())
