"""States become values: of everything, of every slice, with the notes that belong to them."""
