"""Port attention.py to another language, and check the port; README.md is the guide."""
