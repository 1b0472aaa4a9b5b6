import type { Hono } from 'hono'
import { z } from 'zod'
import { endSession } from '../../services/session/session-commands.ts'
import { addressOf, answerJson, type ServerContext, type ServerEnv } from '../http/context.ts'
import { setCookie } from '../http/session-cookie.ts'
import { findSignedIn, getSignedIn } from '../http/signed-in.ts'
import { answerSignedIn, meetingOf, originOf, readCall, type SignInParts } from './browser.ts'
import { onGuest } from './calls.ts'
import { mountCodes } from './codes.ts'
import { mountCompany } from './company.ts'
import { mountPasskeys } from './passkeys.ts'
import { mountPasswords } from './passwords.ts'
import { mountScripts } from './scripts.ts'
import { mountSecurity } from './security.ts'
import { answerSignInPage } from './sign-in-page.ts'

const tokenInput = z.strictObject({ token: z.string().min(1).max(200).describe('Token of a user.') })

/** The page at /sign-in, and the calls behind it and behind pages to come. */
export function mountSignIn(app: Hono<ServerEnv>, parts: SignInParts): void {
  app.get('/sign-in', async (c) => answerSignInPage(c, parts, await findSignedIn(c, parts)))
  mountScripts(app)
  // Guessed tokens count as they do at the APIs.
  onGuest(app, '/sign-in/token', parts, tokenInput, async (c, { token }) => {
    const { caller, refusal } = await parts.admission.admit({ address: addressOf(c), authorization: token })
    if (!caller) throw refusal
    return answerSignedIn(c, parts, await parts.services.sessions.beginByToken(caller, originOf(c)))
  })
  app.post('/sign-out', (c) => signOut(c, parts))
  app.get('/session', (c) => showSession(c, parts))
  mountPasswords(app, parts)
  mountPasskeys(app, parts)
  mountCodes(app, parts)
  mountCompany(app, parts)
  mountSecurity(app, parts)
}

/** Succeeds also when no user is signed in. */
async function signOut(c: ServerContext, parts: SignInParts): Promise<Response> {
  await readCall(c, parts)
  const caller = await findSignedIn(c, parts)
  const options = { requestId: c.get('requestId'), address: addressOf(c), api: 'sign-in' }
  if (caller) await parts.services.perform(caller, endSession, { sessionId: caller.tokenId }, options)
  return answerJson(
    c,
    200,
    { signedIn: false },
    { 'Set-Cookie': setCookie(meetingOf(c, parts), 'berth_session', '', 0) },
  )
}

/** For a console: who is signed in. */
async function showSession(c: ServerContext, parts: SignInParts): Promise<Response> {
  const caller = await getSignedIn(c, parts)
  const { id: userId, email, username, isInstallationAdmin, currentAccountId } = await parts.services.users.self(caller)
  const sessions = await parts.services.sessions.list(caller)
  const { expiresAt, method } = sessions.find(({ isCurrent }) => isCurrent) ?? {}
  const user = { userId, email, username, isInstallationAdmin, currentAccountId }
  return answerJson(c, 200, { sessionId: caller.tokenId, method, expiresAt, user })
}
