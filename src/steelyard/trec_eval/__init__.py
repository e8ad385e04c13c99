"""What the program trec_eval prints, by way of Steelyard's stages: read, match, rank once, measure, print."""
