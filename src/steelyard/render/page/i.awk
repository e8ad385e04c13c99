/^def _json\(/{skip=1; next}
skip{next}
{print}
