import type { Hono } from 'hono'
import { renderSVG } from 'uqr'
import { z } from 'zod'
import { RESET_PATH } from '../../services/sign-in/reset-password.ts'
import type { ServerContext, ServerEnv } from '../http/context.ts'
import { answerPage, ICON_ADDRESS } from '../http/page.ts'
import { answerSignedIn, onGuest, onPerson, originOf, type SignInParts, siteOf } from './browser-calls.ts'
import { scriptPath } from './scripts.ts'

const email = z.string().min(1).max(254).describe('E-mail address of the user.')
const password = z.string().min(1).max(200).describe('Password of the user.')
const newPassword = z.string().min(12).max(200).describe('New password, of 12 characters at least.')
const secret = z.string().min(1).max(200).describe('What stands behind the # of the link.')

export function mountPasswords(app: Hono<ServerEnv>, parts: SignInParts): void {
  const { signIn } = parts.services
  onGuest(app, '/sign-in/password', parts, z.strictObject({ email, password }), async (c, input) => {
    const signedIn = await signIn.byPassword(input, originOf(c))
    if ('challenge' in signedIn) return { signedIn: false, next: 'CODE', challenge: signedIn.challenge }
    return answerSignedIn(c, parts, signedIn)
  })
  onGuest(app, '/sign-in/reset-link', parts, z.strictObject({ email }), async (c, input) => {
    const { send } = await signIn.requestPasswordReset(input, originOf(c))
    // Not awaited: its duration would reveal whether there is such a user.
    void send().catch((err: unknown) => parts.log.warn({ err }, 'A link to set a password could not be mailed'))
    return { message: 'If a user has this address, a link is on its way to it' }
  })
  app.get(RESET_PATH, (c) => answerResetPage(c))
  onGuest(app, RESET_PATH, parts, z.strictObject({ secret, password: newPassword }), async (c, input) => {
    await signIn.resetPassword(input, originOf(c))
    return { message: 'The password is set, and all sessions have ended. Sign in with it' }
  })
  const change = z.strictObject({ password: newPassword, currentPassword: password.optional() })
  onPerson(app, '/account-security/password', parts, change, (c, input, caller) =>
    signIn.changePassword(caller, input, originOf(c)),
  )
  onPerson(app, '/account-security/reset-link', parts, z.strictObject({ email }), async (c, input, caller) => {
    const made = await signIn.makeResetLink(caller, input, originOf(c))
    return { resetUrl: `${siteOf(c, parts)}${RESET_PATH}#${made.secret}` }
  })
}

/** Where a link to set a password leads. Its secret is behind the #, which browsers keep to themselves. */
function answerResetPage(c: ServerContext): Response {
  const body = `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>Set your password</h1>
<p>The link works once. All your sessions end.</p></div></header>
<section><form id="reset">
<label>New password <input name="password" type="password" required minlength="12" maxlength="200"
autocomplete="new-password"><small>12 characters at least. Several words that do not belong together are good.</small></label>
<p role="status"></p>
<button>Set the password</button>
</form></section>
<p><a href="/sign-in">Sign in</a></p>`
  return answerPage(c, { title: 'Set your password for Berth', body, script: scriptPath('reset') })
}

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
