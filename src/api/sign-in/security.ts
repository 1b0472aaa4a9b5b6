import type { Hono } from 'hono'
import { endSession } from '../../services/session/session-commands.ts'
import { addressOf, answer, answerJson, type ServerEnv } from '../http/context.ts'
import { findSignedIn, getSignedIn } from '../http/signed-in.ts'
import type { SignInParts } from './browser.ts'
import { onPerson } from './calls.ts'
import { answerSecurityPage } from './security-page.ts'

/** The page at /account-security, and what it shows. */
export function mountSecurity(app: Hono<ServerEnv>, parts: SignInParts): void {
  const { services } = parts
  app.get('/account-security', async (c) => {
    const caller = await findSignedIn(c, parts)
    if (!caller) return answer(c, 303, null, { Location: '/sign-in?next=/account-security' })
    const [methods, sessions] = [await services.signIn.methods(caller), await services.sessions.list(caller)]
    const { BERTH_OIDC_ISSUER: issuer, BERTH_OIDC_NAME: name } = parts.config
    const companyName = issuer ? name : null
    return answerSecurityPage(c, { methods, sessions, isAdmin: caller.isInstallationAdmin, companyName })
  })
  app.get('/account-security/methods', async (c) => {
    const caller = await getSignedIn(c, parts)
    const [methods, sessions] = [await services.signIn.methods(caller), await services.sessions.list(caller)]
    return answerJson(c, 200, { ...methods, sessions })
  })
  onPerson(app, '/account-security/session/end', parts, endSession.input, async (c, input, caller) => {
    const options = { requestId: c.get('requestId'), address: addressOf(c), api: 'sign-in' }
    return (await services.perform(caller, endSession, input, options)).result
  })
}
