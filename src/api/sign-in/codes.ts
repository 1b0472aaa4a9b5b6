import type { Hono } from 'hono'
import { renderSVG } from 'uqr'
import { z } from 'zod'
import type { ServerEnv } from '../http/context.ts'
import { answerSignedIn, originOf, type SignInParts } from './browser.ts'
import { onGuest, onPerson } from './calls.ts'

const nothing = z.strictObject({})
const challenge = z.string().min(1).max(100).describe('Challenge of the answer to the password.')
const code = z.string().trim().min(6).max(40).describe('Code of the phone, or a recovery code.')

export function mountCodes(app: Hono<ServerEnv>, parts: SignInParts): void {
  const { signIn } = parts.services
  onGuest(app, '/sign-in/code', parts, z.strictObject({ challenge, code }), async (c, input) =>
    answerSignedIn(c, parts, await signIn.byCode(input, originOf(c))),
  )
  onPerson(app, '/account-security/codes', parts, nothing, async (_c, _input, caller) => {
    const offered = await signIn.offerCodes(caller)
    return { ...offered, qrCode: `data:image/svg+xml,${encodeURIComponent(renderSVG(offered.uri))}` }
  })
  onPerson(app, '/account-security/codes/confirm', parts, z.strictObject({ code }), (c, input, caller) =>
    signIn.confirmCodes(caller, input, originOf(c)),
  )
  onPerson(app, '/account-security/codes/remove', parts, nothing, (c, _input, caller) =>
    signIn.removeCodes(caller, originOf(c)),
  )
}
