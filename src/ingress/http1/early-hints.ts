import type { ServerResponse } from 'node:http'

/** Passes a 103 of the app on: of its headers, the links. */
export function writeEarlyHints(response: ServerResponse, headers: readonly string[]): void {
  const links = headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === 'link')
  try {
    response.writeEarlyHints({ link: links })
  } catch {
    // 103 Early Hints are optional, and Node throws on links that it finds malformed.
  }
}
