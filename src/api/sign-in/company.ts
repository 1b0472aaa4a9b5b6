import type { Hono } from 'hono'
import { z } from 'zod'
import { DomainError } from '../../domain/errors.ts'
import { COMPANY_MINUTES } from '../../services/sign-in/sign-in-by-company.ts'
import { addressOf, answer, answerJson, type ServerContext, type ServerEnv } from '../http/context.ts'
import { STATUS_OF } from '../http/error-catalogue.ts'
import { answerPage, escaped, ICON_ADDRESS } from '../http/page.ts'
import { cookieIn, requireSafeMeeting, setCookie } from '../http/session-cookie.ts'
import { headersOf } from '../http/signed-in.ts'
import { homeOf, meetingOf, onPerson, originOf, type SignInParts, sessionCookie, siteOf } from './browser-calls.ts'

const START = '/sign-in/company'
const CALLBACK = '/sign-in/company/callback'

/** Signing in by the company's own provider: the browser goes there, and comes back with a code. */
export function mountCompany(app: Hono<ServerEnv>, parts: SignInParts): void {
  const { signIn } = parts.services
  const redirectUri = (c: ServerContext) => siteOf(c, parts) + CALLBACK
  const bound = (c: ServerContext, secret: string) =>
    setCookie(meetingOf(c, parts), 'berth_company', secret, secret === '' ? 0 : COMPANY_MINUTES * 60)

  app.get(START, (c) =>
    asPage(c, async () => {
      requireSafeMeeting(meetingOf(c, parts))
      await parts.admission.chargeAnonymous(addressOf(c), 1)
      const { location, secret } = await signIn.askCompany(null, {
        redirectUri: redirectUri(c),
        next: nextOf(c) ?? homeOf(parts),
      })
      return answer(c, 303, null, { Location: location.href, 'Set-Cookie': bound(c, secret) })
    }),
  )
  app.get(CALLBACK, (c) =>
    asPage(c, async () => {
      const secret = cookieIn(headersOf(c), 'berth_company')
      const returnedTo = new URL(redirectUri(c) + new URL(c.req.url).search)
      const { begun, next } = await signIn.byCompany({ secret, returnedTo }, originOf(c))
      const gone = answer(c, 303, null, { Location: next, 'Set-Cookie': sessionCookie(c, parts, begun) })
      gone.headers.append('Set-Cookie', bound(c, ''))
      return gone
    }),
  )
  // A call of our own page: no other site may connect an account of its choice to the signed-in user.
  onPerson(app, '/account-security/company', parts, z.strictObject({}), async (c, _input, caller) => {
    const asked = { redirectUri: redirectUri(c), next: '/account-security' }
    const { location, secret } = await signIn.askCompany(caller, asked)
    return answerJson(c, 200, { location: location.href }, { 'Set-Cookie': bound(c, secret) })
  })
}

/** A path of this server, and nothing that a browser would take for another. */
function nextOf(c: ServerContext): string | null {
  const next = c.req.query('next') ?? ''
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.includes('\\') ? next : null
}

/** People come here by links: a refusal is a page. */
async function asPage(c: ServerContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (STATUS_OF[error.code] >= 500) c.set('failure', error)
    const body = `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>You are not signed in</h1></div></header>
<section><p>${escaped(error.message)}.</p><p><a href="/sign-in">Sign in otherwise</a></p></section>`
    return answerPage(c, { title: 'Not signed in to Berth', body, status: STATUS_OF[error.code] })
  }
}
