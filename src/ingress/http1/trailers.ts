const FORBIDDEN_TRAILER = /^(?:content-length|transfer-encoding|connection|host|set-cookie|x-berth-.*|x-request-id)$/i

/** Without the trailers that may not be any (RFC 9110 §6.5.1): a proxy behind us could take them for framing. */
export function pairsOf(trailers: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index < trailers.length; index += 2) {
    const [name, value] = [trailers[index] as string, trailers[index + 1] as string]
    if (!FORBIDDEN_TRAILER.test(name)) pairs.push([name, value])
  }
  return pairs
}
