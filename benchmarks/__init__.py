"""Speed as ratios, measured in one run against peers or lower bounds: `make bench`."""
