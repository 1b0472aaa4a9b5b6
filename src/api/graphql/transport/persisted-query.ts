import { z } from 'zod'

/** As clients send it that hope for the text to be known: the rest of the extensions is theirs. */
const PERSISTED = z.object({ persistedQuery: z.object({ sha256Hash: z.string() }) })

const hasText = (query: unknown): boolean => typeof query === 'string' && query !== ''

/** Whether a JSON body names a query by its hash alone. */
export function isHashInBody(body: string): boolean {
  const params = parsed(body) as { query?: unknown; extensions?: unknown } | null
  return !hasText(params?.query) && PERSISTED.safeParse(params?.extensions).success
}

/** Whether a GET names a query by its hash alone. */
export function isHashInUrl(url: string): boolean {
  const { searchParams } = new URL(url)
  const extensions = searchParams.get('extensions')
  return !hasText(searchParams.get('query')) && extensions !== null && PERSISTED.safeParse(parsed(extensions)).success
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * No text is kept here by its hash. Apollo's clients and their relatives look for this message or code, whatever the status,
 * and from then on send the text; with 200 no client takes it for a failure of the network.
 */
export const persistedQueryNotSupported = (requestId: string): Response =>
  Response.json(
    {
      errors: [
        {
          message: 'PersistedQueryNotSupported',
          extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', requestId },
        },
      ],
    },
    { headers: { 'cache-control': 'private, no-cache, must-revalidate' } },
  )
