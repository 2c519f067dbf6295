"""Write attention yourself, and have each step checked. README.md tells how."""
