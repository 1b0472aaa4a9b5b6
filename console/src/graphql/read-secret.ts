import { type AnyVariables, stringifyDocument, type TypedDocumentNode } from 'urql'
import { NO_ANSWER, type Refusal, refusalOf, type SentError } from './refusal.ts'

/**
 * Reads what must not stay: past the cache, so that it is nowhere but where the caller puts it. The API writes into the
 * audit log who read it.
 */
export async function readSecret<Result, Variables extends AnyVariables>(
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<{ data: Result | null; refusal: Refusal | null }> {
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: stringifyDocument(document), variables }),
    })
    const { data, errors } = (await response.json()) as { data?: Result | null; errors?: SentError[] }
    const [first] = errors ?? []
    return { data: data ?? null, refusal: first ? refusalOf(first) : null }
  } catch {
    return { data: null, refusal: NO_ANSWER }
  }
}
