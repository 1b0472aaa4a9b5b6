import { type AnyVariables, stringifyDocument, type TypedDocumentNode } from 'urql'
import { persistentFetch } from './persistent-fetch.ts'
import { NO_ANSWER, type Refusal, refusalOf, type SentError } from './refusal.ts'

export interface Uncached<Result> {
  data: Result | null
  refusal: Refusal | null
}

/**
 * Sends a document past the cache: only the caller holds the answer. For secrets, dry runs, and lines of
 * logs, of which there are too many.
 */
export async function readUncached<Result, Variables extends AnyVariables>(
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Uncached<Result>> {
  try {
    const response = await persistentFetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
      credentials: 'same-origin',
      cache: 'no-store',
      body: JSON.stringify({ query: stringifyDocument(document), variables }),
    })
    const { data, errors } = (await response.json()) as { data?: Result; errors?: SentError[] }
    const [error] = errors ?? []
    return { data: data ?? null, refusal: error ? refusalOf(error) : null }
  } catch {
    return { data: null, refusal: NO_ANSWER }
  }
}
