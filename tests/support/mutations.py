"""Text that is nearly right."""

from __future__ import annotations

import random
import re


def broken(text: str, seed: int) -> str:
    """A word less, a word more, or two words exchanged, up to three times."""
    chance = random.Random(seed)
    words = re.findall(r"\w+|[^\w\s]+|\s+", text)
    for _ in range(chance.randint(1, 3)):
        place, other = chance.randrange(len(words)), chance.randrange(len(words))
        match chance.randrange(3):
            case 0:
                del words[place]
            case 1:
                words.insert(place, words[other])
            case _:
                words[place], words[other] = words[other], words[place]
    return "".join(words)
