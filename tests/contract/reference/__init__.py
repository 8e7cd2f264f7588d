"""A second judge, written from the pages of the contract alone: slow, plain, and never shipped.

It takes the values that the judge takes and shares none of its reasoning, so that both can be wrong only apart.
"""
