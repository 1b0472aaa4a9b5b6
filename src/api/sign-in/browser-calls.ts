import type { Hono } from 'hono'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Caller } from '../../calls/caller.ts'
import { parseInput } from '../../calls/perform.ts'
import type { Config } from '../../config/config.ts'
import type { Services } from '../../services/services.ts'
import type { BegunSession } from '../../services/session/begin-session.ts'
import type { Admission } from '../http/admission.ts'
import { addressOf, answerJson, type ServerContext, type ServerEnv } from '../http/context.ts'
import { readJsonObject } from '../http/request-body.ts'
import {
  isEncrypted,
  isLoopback,
  type Meeting,
  requireOwnRequest,
  requireSafeMeeting,
  sessionIn,
  setCookie,
} from '../http/session-cookie.ts'
import { getSignedIn, headersOf } from '../http/signed-in.ts'

export interface SignInParts {
  services: Services
  config: Config
  admission: Admission
  log: Logger
}

/** No input of these calls is longer. */
const BODY_LIMIT_KB = 64

export const meetingOf = (c: ServerContext, { config }: Pick<SignInParts, 'config'>): Meeting => ({
  header: headersOf(c),
  apiUrl: config.BERTH_API_URL,
})

/** Where a person goes on who came from nowhere in particular. */
export const homeOf = ({ config }: Pick<SignInParts, 'config'>): string =>
  config.BERTH_CONSOLE ? '/console' : '/account-security'

/** Where this browser reaches Berth, such as https://berth.example.com. */
export function siteOf(c: ServerContext, parts: SignInParts): string {
  const { BERTH_API_URL: apiUrl } = parts.config
  const host = c.req.header('host') ?? ''
  if (apiUrl && !isLoopback(headersOf(c))) return new URL(apiUrl).origin
  return `${isEncrypted(meetingOf(c, parts)) ? 'https' : 'http'}://${host}`
}

/** Where a sign-in comes from, and the session that the browser has until now. */
export const originOf = (c: ServerContext) => ({
  requestId: c.get('requestId'),
  address: addressOf(c),
  userAgent: c.req.header('user-agent') ?? '',
  replaced: sessionIn(headersOf(c)),
})

/** The body of a call that only our own pages make. */
export async function readCall(c: ServerContext, parts: SignInParts): Promise<Record<string, unknown>> {
  requireOwnRequest(c.req.method, headersOf(c))
  requireSafeMeeting(meetingOf(c, parts))
  return readJsonObject(c.req.raw, BODY_LIMIT_KB)
}

/** A Set-Cookie header with the session, for as long as it may last. */
export function sessionCookie(c: ServerContext, parts: SignInParts, { secret, expiresAt }: BegunSession): string {
  return setCookie(meetingOf(c, parts), 'berth_session', secret, (expiresAt.getTime() - Date.now()) / 1000)
}

/** Gives the browser its new session. */
export function answerSignedIn(c: ServerContext, parts: SignInParts, begun: BegunSession): Response {
  const { expiresAt } = begun
  const cookie = sessionCookie(c, parts, begun)
  return answerJson(c, 200, { signedIn: true, expiresAt: expiresAt.toISOString() }, { 'Set-Cookie': cookie })
}

/** A body, or an answer of its own. */
type Answered = Record<string, unknown> | Response

/** A call without a session: a step of a sign-in. Counts as a request without a token. */
export function onGuest<Shape extends z.ZodRawShape>(
  app: Hono<ServerEnv>,
  path: string,
  parts: SignInParts,
  input: z.ZodObject<Shape>,
  run: (c: ServerContext, input: z.output<z.ZodObject<Shape>>) => Promise<Answered>,
): void {
  app.post(path, async (c) => {
    const body = await readCall(c, parts)
    await parts.admission.chargeAnonymous(addressOf(c), 1)
    return answerOf(c, await run(c, parseInput(input, body)))
  })
}

/** A call of a signed-in user, about their own sign-in. */
export function onPerson<Shape extends z.ZodRawShape>(
  app: Hono<ServerEnv>,
  path: string,
  parts: SignInParts,
  input: z.ZodObject<Shape>,
  run: (c: ServerContext, input: z.output<z.ZodObject<Shape>>, caller: Caller) => Promise<Answered>,
): void {
  app.post(path, async (c) => {
    const body = await readCall(c, parts)
    const caller = await getSignedIn(c, parts)
    return answerOf(c, await run(c, parseInput(input, body), caller))
  })
}

const answerOf = (c: ServerContext, answered: Answered): Response =>
  answered instanceof Response ? answered : answerJson(c, 200, answered)
