"""Find the mistake: at which step does a hand-written attention go wrong, and how?"""
