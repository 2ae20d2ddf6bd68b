"""Renders, lints and validates the chart without a cluster: `python -m deploy.chart`."""
