// Reading something again and again, without bothering the server for a page that nobody looks at.

/** Calls `look` now, every so often while the page is in sight, and when it comes back; returns how to stop. */
export function whileInSight(everyMs: number, look: (signal: AbortSignal) => Promise<void>): () => void {
  const leaving = new AbortController();
  const lookIfSeen = (): void => {
    if (!document.hidden) void look(leaving.signal);
  };
  const timer = setInterval(lookIfSeen, everyMs);
  document.addEventListener("visibilitychange", lookIfSeen);
  lookIfSeen();
  return () => {
    leaving.abort();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", lookIfSeen);
  };
}
