"""A check as one page that needs nothing else: no network, no other file, and without JavaScript it can still be read."""

from coset.views.html.page import Picture as Picture
from coset.views.html.page import Report as Report
from coset.views.html.page import page as page
