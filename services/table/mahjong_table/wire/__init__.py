"""Between the core and the protos: requests in, what one viewer may see out."""
