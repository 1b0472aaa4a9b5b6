import type { Hono } from 'hono'
import { z } from 'zod'
import type { ServerEnv } from '../http/context.ts'
import { answerSignedIn, originOf, type SignInParts, siteOf } from './browser.ts'
import { onGuest, onPerson } from './calls.ts'

const nothing = z.strictObject({})
const response = z.looseObject({}).describe('What the browser answered, as JSON.')
const name = z.string().trim().min(1).max(100).default('Passkey').describe('Name of the passkey.')
const passkeyId = z.string().min(1).max(100).describe('Id of the passkey.')

export function mountPasskeys(app: Hono<ServerEnv>, parts: SignInParts): void {
  const { signIn } = parts.services
  onGuest(app, '/sign-in/passkey/options', parts, nothing, async (c) => ({
    ...(await signIn.askForPasskey({ site: siteOf(c, parts) })),
  }))
  onGuest(app, '/sign-in/passkey', parts, z.strictObject({ response }), async (c, input) => {
    const begun = await signIn.byPasskey({ ...input, site: siteOf(c, parts) }, originOf(c))
    return answerSignedIn(c, parts, begun)
  })
  onPerson(app, '/account-security/passkey/options', parts, nothing, async (c, _input, caller) => ({
    ...(await signIn.offerPasskey(caller, { site: siteOf(c, parts) })),
  }))
  onPerson(app, '/account-security/passkey', parts, z.strictObject({ response, name }), (c, input, caller) =>
    signIn.addPasskey(caller, { ...input, site: siteOf(c, parts) }, originOf(c)),
  )
  onPerson(app, '/account-security/passkey/remove', parts, z.strictObject({ passkeyId }), (c, input, caller) =>
    signIn.removePasskey(caller, input, originOf(c)),
  )
}
