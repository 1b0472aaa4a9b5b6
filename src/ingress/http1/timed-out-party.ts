export interface PendingExchange {
  startedAt: number
  /** Null for a request without a body. */
  body: { bytes: number; isComplete: boolean; isHeldBack: boolean; lastByteAt: number } | null
}

// An upload that has not been answered may be slow, but not endlessly so: it holds a connection of the app.
const SLOWEST_UPLOAD = { bytesPerSecond: 500, graceMs: 30_000 }

/** Whose turn it was when the time ran out, for a request whose answer has not begun. Times in milliseconds. */
export function timedOutParty(
  { startedAt, body }: PendingExchange,
  now: number,
  answerMs: number,
): 'app' | 'client' | null {
  const waitsForApp = !body || body.isComplete || body.isHeldBack
  if (now - (body?.lastByteAt ?? startedAt) > answerMs) return waitsForApp ? 'app' : 'client'
  if (waitsForApp) return null
  const uploadingMs = now - startedAt - SLOWEST_UPLOAD.graceMs
  return uploadingMs > 0 && body.bytes < (uploadingMs / 1000) * SLOWEST_UPLOAD.bytesPerSecond ? 'client' : null
}
