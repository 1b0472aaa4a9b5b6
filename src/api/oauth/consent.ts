import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { userOf } from '../../calls/caller.ts'
import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import { approveAuthorization, refuseAuthorization } from '../../services/oauth/consent-commands.ts'
import type { Services } from '../../services/services.ts'
import type { Admission } from '../http/admission.ts'
import { addressOf, answer, type ServerContext } from '../http/context.ts'
import { OAUTH_PATHS } from '../http/oauth-addresses.ts'
import { answerPage } from '../http/page.ts'
import { readForm } from '../http/request-body.ts'
import { findSignedIn, getSignedIn } from '../http/signed-in.ts'
import { consentPage, type Question } from './consent-page.ts'
import type { OauthServer } from './oauth-server.ts'

export interface OauthParts {
  services: Services
  config: Config
  admission: Admission
  log: Logger
}

const FORM_LIMIT_KB = 4

/** Shows a signed-in user what an application asks for; other visitors sign in first. */
export async function askConsent(c: ServerContext, parts: OauthParts, server: OauthServer): Promise<Response> {
  const caller = await findSignedIn(c, parts)
  if (!caller) return redirect(c, `/sign-in?next=${encodeURIComponent(c.req.path)}`)
  const question = await questionOf(c, server)
  const person = await parts.services.authorizations.consent(caller)
  return answerPage(c, consentPage(question, person, `${OAUTH_PATHS.consent}/${question.uid}`))
}

/** Only a page of Berth itself may answer, for the person who is signed in, the question that their browser was asked. */
export async function answerConsent(c: ServerContext, parts: OauthParts, server: OauthServer): Promise<Response> {
  const caller = await getSignedIn(c, parts)
  const { clientId, scopes, resource } = await questionOf(c, server)
  const options = { requestId: c.get('requestId'), address: addressOf(c), api: 'oauth', origin: server.issuer }
  const userId = userOf(caller)
  let authorizationId: string | null = null
  if ((await answerIn(c)) === 'approve') {
    const input = { clientId, scopes: [...scopes], resource }
    const { result } = await parts.services.perform(caller, approveAuthorization, input, options)
    authorizationId = result.authorizationId
  } else await parts.services.perform(caller, refuseAuthorization, { clientId, scopes: [...scopes] }, options)
  const { incoming, outgoing } = nodeOf(c)
  const next = await server.finish(incoming, outgoing, { userId, authorizationId })
  return redirect(c, next)
}

const nodeOf = (c: ServerContext) => c.env as unknown as { incoming: IncomingMessage; outgoing: ServerResponse }

async function questionOf(c: ServerContext, server: OauthServer): Promise<Question> {
  const { incoming, outgoing } = nodeOf(c)
  const question = await server.questionOf(incoming, outgoing)
  // The cookie holds the question; the path only finds it.
  if (question && question.uid === c.req.param('uid')) return question
  const message = 'The application asked too long ago, or in another browser: start again from the application'
  throw new DomainError('NOT_FOUND', undefined, message)
}

async function answerIn(c: ServerContext): Promise<string | null> {
  const form = await readForm(c.req.raw, FORM_LIMIT_KB)
  return form.get('answer')
}

const redirect = (c: ServerContext, to: string): Response => answer(c, 303, null, { Location: to })
