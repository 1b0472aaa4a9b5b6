import { REASONS } from '../../../src/domain/reasons.ts'

/** What to do about a refusal, as `/docs/errors` says it; null where its message is all there is to say. */
export function nextStep(code: string, reason: string | null): string | null {
  const ofCode: Readonly<Record<string, string>> | undefined = (
    REASONS as Readonly<Record<string, Readonly<Record<string, string>>>>
  )[code]
  return (reason && ofCode?.[reason]?.replaceAll('`', '')) || (NEXT[code] ?? null)
}

const NEXT: Readonly<Record<string, string>> = {
  NOT_FOUND: 'It may have been deleted, or you may not see it. The activity of the account says what was deleted.',
  PRECONDITION_FAILED: 'It was changed since you read it. Compare, then send again.',
  RATE_LIMITED: 'Too many requests in a minute. It works again by itself.',
  UNAUTHENTICATED: 'Your session is over. Sign in again; what you entered is kept.',
  INTERNAL: 'It is not your fault. Tell the operator of this Berth the request id.',
  UNAVAILABLE: 'A part of Berth is not reachable just now. Nothing was changed.',
}
