"""Results as self-contained pages: they need no network and no other file, and are readable without JavaScript."""

from coset.views.html.counts import exploration_page as exploration_page
from coset.views.html.counts import symmetry_page as symmetry_page
from coset.views.html.page import page as page
from coset.views.html.page import stepping as stepping
from coset.views.html.parts import Origin as Origin
from coset.views.html.parts import Picture as Picture
