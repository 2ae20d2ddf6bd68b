"""The engine's values on the wire: actions, and hands as viewers see them; shared by all that send or receive them."""
