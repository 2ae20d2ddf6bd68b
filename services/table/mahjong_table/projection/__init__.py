"""The live projection in Redis: clocks, deadlines, resume buffers and routing, rebuilt from the log after any loss."""
