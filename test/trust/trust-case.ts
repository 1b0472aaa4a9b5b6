import type Docker from 'dockerode'

/** A started Berth that nobody else uses, as a stranger with a token meets it. */
export interface FreshBerth {
  /** Such as http://127.0.0.1:4000. */
  url: string
  ingressUrl: string
  /** Of the admin, who is the ADMIN of the first account. */
  adminToken: string
  dataDir: string
  databaseUrl: string
  docker: Docker
  installationId: string
  /** Everything that Berth has written to its log. */
  log(): string
  /** One REST call below /api/public/v1, by the admin unless a token is given. */
  rest(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  /** A REST call that must succeed; its body. */
  ok(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Record<string, unknown>>
  /** One GraphQL request, by the admin unless a token is given; null as the token means none. */
  graphql(query: string, variables?: Record<string, unknown>, options?: { token?: string | null }): Promise<Answer>
}

export interface CallOptions {
  token?: string | null
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  body: Record<string, unknown>
}

/** One thing that a tenant tries at the cost of others, and that must end well. */
export interface TrustCase {
  /** Cases are run in the order of their numbers. */
  number: number
  /** What must hold, as a sentence. */
  title: string
  /** Settings that differ from those of `npm start`. Cases with equal settings share an instance. */
  settings?: Readonly<Record<string, string>>
  /** Returns the figure to print: bytes, milliseconds, attempts. Throws when the case does not hold. */
  run(berth: FreshBerth): Promise<string>
}
