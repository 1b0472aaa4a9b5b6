import type { initGraphQLTada } from 'gql.tada'
import { gql, type TypedDocumentNode } from 'urql'
import type { introspection } from './generated/schema-env.d.ts'

export type { ResultOf, VariablesOf } from 'gql.tada'

/** Scalars of the API, as JSON carries them. */
interface Scalars {
  /** ISO 8601, in UTC. */
  DateTime: string
  JSON: unknown
}

type Graphql = initGraphQLTada<{ introspection: introspection; scalars: Scalars; disableMasking: true }>

/**
 * A document of the console, typed by the schema. `fragments` are those that it spreads. Documents stand in files named
 * `documents.ts`, which import nothing of the browser: a test validates each against the schema and the server’s limits.
 */
export const graphql = ((source: string, fragments: readonly TypedDocumentNode[] = []) =>
  gql(Object.assign([source, ...fragments.map(() => '')], { raw: [] }), ...fragments)) as unknown as Graphql
