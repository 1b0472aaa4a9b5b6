/** The HTTP status of a call that the engine refused; null when there was no answer. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null
  return typeof status === 'number' ? status : null
}

/** The engine's own message, without dockerode's text around it. */
export function messageOf(error: unknown): string {
  const answer = error instanceof Error && 'json' in error ? error.json : null
  const message = typeof answer === 'object' && answer !== null && 'message' in answer ? answer.message : null
  const text = typeof message === 'string' ? message : error instanceof Error ? error.message : String(error)
  return text.replace(/^\(HTTP code \d+\) .*? - /, '').trim()
}

/** Runs a call for which some error statuses count as success; returns the status, or null. */
export async function tolerating(statuses: readonly number[], call: () => Promise<unknown>): Promise<'done' | number> {
  try {
    await call()
    return 'done'
  } catch (error) {
    const status = statusOf(error)
    if (status !== null && statuses.includes(status)) return status
    throw error
  }
}
