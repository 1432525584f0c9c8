"""The methods by which the symmetries of a model are found; `registry` describes each of them."""
