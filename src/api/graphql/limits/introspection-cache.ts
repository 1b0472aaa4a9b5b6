import type { DocumentNode, ExecutionResult } from 'graphql'

// Clients ask a handful of documents, each answered with some hundred kilobytes.
const MAX_ENTRIES = 8
const MAX_KEY_LENGTH = 12_000

/** Answers to introspection by document and variables: the schema does not change while the process runs. */
export class IntrospectionCache {
  readonly #answers = new Map<string, ExecutionResult>()

  /** Null for a document that is too long to be kept, or was changed after it was parsed. */
  keyOf(document: DocumentNode, operationName: unknown, variables: unknown): string | null {
    const text = document.loc?.source.body
    if (text === undefined) return null
    const key = JSON.stringify([text, operationName ?? null, variables ?? null])
    return key.length > MAX_KEY_LENGTH ? null : key
  }

  find(key: string | null): ExecutionResult | null {
    const found = key === null ? undefined : this.#answers.get(key)
    if (key === null || !found) return null
    // The least recently used one is the first to go.
    this.#answers.delete(key)
    this.#answers.set(key, found)
    return found
  }

  keep(key: string | null, answer: ExecutionResult): void {
    if (key === null || answer.errors) return
    this.#answers.set(key, answer)
    const oldest = this.#answers.keys().next().value
    if (this.#answers.size > MAX_ENTRIES && oldest !== undefined) this.#answers.delete(oldest)
  }
}
