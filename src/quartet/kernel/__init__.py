"""The code all services share; it imports none of them."""
