import type { Hono } from 'hono'
import { z } from 'zod'
import type { Caller } from '../../calls/caller.ts'
import { endSession } from '../../services/session/session-commands.ts'
import { addressOf, answerJson, type ServerContext, type ServerEnv } from '../http/context.ts'
import { answerPage, escaped, ICON_ADDRESS } from '../http/page.ts'
import { setCookie } from '../http/session-cookie.ts'
import { findSignedIn, getSignedIn } from '../http/signed-in.ts'
import { answerSignedIn, homeOf, meetingOf, onGuest, originOf, readCall, type SignInParts } from './browser-calls.ts'
import { mountCompany } from './company.ts'
import { mountInvitation } from './invitation-page.ts'
import { mountCodes, mountPasskeys, mountPasswords } from './methods.ts'
import { mountScripts, scriptPath } from './scripts.ts'
import { mountSecurity } from './security-page.ts'

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
  mountInvitation(app, parts)
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

/** How people sign in, in the order of what they can use. Its parts call the same routes as a console does. */
async function answerSignInPage(c: ServerContext, parts: SignInParts, caller: Caller | null): Promise<Response> {
  const { config, services } = parts
  const isByTokenOnly = await services.signIn.isByTokenOnly()
  const sendsMail = config.BERTH_SMTP_URL !== undefined && config.BERTH_API_URL !== undefined
  const body = [
    `<header data-home="${homeOf(parts)}"><img src="${ICON_ADDRESS}" alt=""><div><h1>Sign in to Berth</h1>
<p>Application hosting: give it an image or a repository, it gives you a URL.</p></div></header>`,
    ...(caller ? [signedIn(homeOf(parts))] : []),
    ...(config.BERTH_OIDC_ISSUER ? [byCompany(config.BERTH_OIDC_NAME)] : []),
    ...(isByTokenOnly ? [FIRST_BY_TOKEN] : []),
    BY_PASSKEY,
    BY_PASSWORD,
    BY_CODE,
    ...(sendsMail ? [FORGOTTEN] : []),
    ...(isByTokenOnly ? [] : [BY_TOKEN]),
  ]
  return answerPage(c, { title: 'Sign in to Berth', body: body.join('\n'), script: scriptPath('sign-in') })
}

const signedIn = (home: string) => `<section><h2>You are signed in</h2>
${home === '/console' ? '<p><a class="button" href="/console">Go to the console</a></p>' : ''}
<p><a href="/account-security">How you sign in, and your sessions</a></p>
<p role="status"></p><button id="sign-out" class="quiet">Sign out</button></section>`

const byCompany = (name: string) => `<section><h2>With your account of ${escaped(name)}</h2>
<p><a class="button" id="by-company" href="/sign-in/company">Sign in there</a></p></section>`

const BY_PASSKEY = `<section id="by-passkey"><h2>With a passkey</h2>
<p>A fingerprint, a face or a PIN on your device, without a password.</p>
<p role="status"></p><button>Use a passkey</button></section>`

const BY_PASSWORD = `<section><h2>With your password</h2>
<form id="by-password">
<label>E-mail address <input name="email" type="text" inputmode="email" required maxlength="254"
autocomplete="username webauthn" autocapitalize="none" spellcheck="false"></label>
<label>Password <input name="password" type="password" required maxlength="200" autocomplete="current-password"></label>
<p role="status"></p>
<button>Sign in</button>
</form></section>`

const BY_CODE = `<section hidden><h2>And a code</h2>
<form id="by-code">
<label>Code <input name="code" required maxlength="40" autocomplete="one-time-code" autocapitalize="none"
spellcheck="false"><small>The one that your phone shows now, or one of your recovery codes.</small></label>
<p role="status"></p>
<button>Sign in</button>
</form></section>`

const FORGOTTEN = `<section><details><summary>You have forgotten it</summary>
<form id="forgotten">
<label>E-mail address <input name="email" type="text" inputmode="email" required maxlength="254" autocomplete="username"
autocapitalize="none" spellcheck="false"><small>A link to set another one is sent there.</small></label>
<p role="status"></p>
<button>Send the link</button>
</form></details></section>`

const TOKEN_FORM = `<form id="by-token" autocomplete="off">
<label>Token <input name="token" type="password" required maxlength="200" autocomplete="off" spellcheck="false">
<small>The admin’s is in the file <code>admin-token</code> of Berth’s data directory: <code>cat .berth/admin-token</code>.
Another user’s does too, if it has neither scopes nor an end.</small></label>
<p role="status"></p>
<button>Sign in</button>
</form>`

/** Of a new installation, whose first user has nothing else. */
const FIRST_BY_TOKEN = `<section><h2>With a token</h2>
<p>No passkey or password has been set up here yet. Sign in with the admin’s token; then you can set up both.</p>
${TOKEN_FORM}</section>`

const BY_TOKEN = `<section><details><summary>With a token</summary>
${TOKEN_FORM}</details></section>`
