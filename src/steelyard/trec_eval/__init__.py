"""The output of the program trec_eval by the stages of Steelyard: read, match, rank, measure, print."""
