/** Bounds one call to the engine: it ends when the signal fires or the time is up, whichever is first. */
export interface CallBounds {
  signal?: AbortSignal
  timeoutSeconds?: number
}
