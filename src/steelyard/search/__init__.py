"""Which conventions give a number that somebody printed: every profile, then a choice or two beside it."""
