/**
 * Does work that does not build on a checkpoint while that is written, and ends with both. Where it cannot be written, the
 * work is aborted, and the checkpoint's error is thrown.
 */
export async function besideCheckpoint<T>(
  checkpoint: Promise<unknown>,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const isUseless = new AbortController()
  checkpoint.catch(() => isUseless.abort())
  const [written, done] = await Promise.allSettled([checkpoint, work(AbortSignal.any([signal, isUseless.signal]))])
  if (written.status === 'rejected') throw written.reason
  if (done.status === 'rejected') throw done.reason
  return done.value
}
