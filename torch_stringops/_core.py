"""Loads StringTensor and its operators without a full garbage collection in between.

They are enough objects to set one off. It would visit all of torch, find nothing and take longer than the rest.
"""

import gc

_collects = gc.isenabled()
gc.disable()
try:
    from torch_stringops import _registration as _registration
finally:
    if _collects:
        gc.enable()
