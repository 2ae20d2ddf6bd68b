"""The only public edge: auth, limits, routing, the built web client."""
