"""Lessons and tools built on attention.py; README.md lists them in reading order."""
