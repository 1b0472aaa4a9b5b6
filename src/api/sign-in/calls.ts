import type { Hono } from 'hono'
import type { z } from 'zod'
import type { Caller } from '../../calls/caller.ts'
import { parseInput } from '../../calls/perform.ts'
import { addressOf, answerJson, type ServerContext, type ServerEnv } from '../http/context.ts'
import { getSignedIn } from '../http/signed-in.ts'
import { readCall, type SignInParts } from './browser.ts'

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
