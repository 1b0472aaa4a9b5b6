import type { Hono } from 'hono'
import { z } from 'zod'
import { RESET_PATH } from '../../services/sign-in/reset-password.ts'
import type { ServerEnv } from '../http/context.ts'
import { answerSignedIn, originOf, type SignInParts, siteOf } from './browser.ts'
import { onGuest, onPerson } from './calls.ts'
import { answerResetPage } from './reset-page.ts'

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
