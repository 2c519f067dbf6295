"""Write attention yourself: README.md tells how."""
