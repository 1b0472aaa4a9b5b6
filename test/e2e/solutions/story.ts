import type { Response } from './visit.ts'

/** A request through the ingress to a component. */
export type Visit = (
  component: string,
  path: string,
  request?: { method?: string; headers?: Record<string, string>; body?: string },
) => Promise<Response>

/** A solution that is installed for real: what people do with it, and what has to be there afterwards. */
export interface Story {
  slug: string
  /** Stand-ins of its programs, beside those of its managed services. */
  programs: readonly string[]
  engines: readonly string[]
  inputs: Record<string, unknown>
  /** Something real, by HTTP. */
  act(visit: Visit): Promise<void>
  /** It is still there after everything was redeployed. Throws when it is not. */
  verify(visit: Visit): Promise<void>
}

/** Throws unless the answer has the status, and the text; with what a person would read of it. */
export function expectAnswer({ status, body }: Response, wanted: number, contains = ''): void {
  if (status !== wanted || !body.includes(contains))
    throw new Error(
      `Answered ${status}, not ${wanted} with ${JSON.stringify(contains)}: ${body.replace(/<style.*?<\/style>|<[^>]*>|\s+/gs, ' ').slice(0, 800)}`,
    )
}
