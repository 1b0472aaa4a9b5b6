import type { Hono } from 'hono'
import type { Services } from '../../services/services.ts'
import { endSession } from '../../services/session/session-commands.ts'
import { addressOf, answer, answerJson, type ServerContext, type ServerEnv } from '../http/context.ts'
import { answerPage, escaped, ICON_ADDRESS } from '../http/page.ts'
import { findSignedIn, getSignedIn } from '../http/signed-in.ts'
import { onPerson, type SignInParts } from './browser-calls.ts'
import { scriptPath } from './scripts.ts'

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

type Methods = Awaited<ReturnType<Services['signIn']['methods']>>
type Sessions = Awaited<ReturnType<Services['sessions']['list']>>

interface Shown {
  methods: Methods
  sessions: Sessions
  isAdmin: boolean
  /** Of the company's provider; null where there is none. */
  companyName: string | null
}

/** The user's ways to sign in, and their sessions. Its buttons call the same routes as a console does. */
function answerSecurityPage(c: ServerContext, { methods, sessions, isAdmin, companyName }: Shown): Response {
  const body = [
    `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>Your sign-in</h1><p>${escaped(methods.email)}</p></div></header>`,
    passkeySection(methods),
    passwordSection(methods),
    codeSection(methods),
    ...(companyName ? [companySection(methods, companyName)] : []),
    sessionSection(sessions),
    ...(isAdmin ? [RESET_LINK] : []),
  ]
  return answerPage(c, { title: 'Your sign-in to Berth', body: body.join('\n'), script: scriptPath('security') })
}

const day = (time: Date): string => time.toISOString().slice(0, 10)
const minute = (time: Date): string => `${day(time)} ${time.toISOString().slice(11, 16)} UTC`

function passkeySection({ passkeys }: Methods): string {
  const rows = passkeys.map(({ passkeyId, name, host, createdAt, lastUsedAt }) => {
    const used = lastUsedAt ? `; last used ${minute(lastUsedAt)}` : ''
    const button = `<button class="quiet" data-remove-passkey="${escaped(passkeyId)}">Remove</button>`
    return `<tr><th scope="row">${escaped(name)}</th><td>For ${escaped(host)}, made on ${day(createdAt)}${used}</td><td>${button}</td></tr>`
  })
  return `<section><h2>Passkeys</h2><p>A passkey signs you in by a fingerprint, a face or a PIN on your device, and cannot
be stolen by a forged page.</p>
<table><tbody>${rows.join('\n')}</tbody></table>
<form id="passkey"><label>Name <input name="name" required maxlength="100" value="Passkey" autocomplete="off"></label>
<p role="status"></p><button>Add a passkey</button></form></section>`
}

function passwordSection({ email, passwordChangedAt: changed }: Methods): string {
  const state = changed ? `Changed on ${day(changed)}.` : 'You have none yet.'
  const current = `<label>Current password <input name="currentPassword" type="password" required maxlength="200"
autocomplete="current-password"></label>`
  return `<section><h2>Password</h2><p>${state} Setting one ends your other sessions.</p>
<form id="password"><input name="username" value="${escaped(email)}" autocomplete="username" hidden>
${changed ? current : ''}
<label>New password <input name="password" type="password" required minlength="12" maxlength="200"
autocomplete="new-password"><small>12 characters at least. Several words that do not belong together are good.</small></label>
<p role="status"></p><button>${changed ? 'Change it' : 'Set it'}</button></form></section>`
}

function codeSection({ codesSince, recoveryCodesLeft }: Methods): string {
  const about = 'A code of your phone besides the password. Signing in by passkey asks for none.'
  if (codesSince)
    return `<section><h2>Codes</h2><p>${about}</p>
<p>Asked for since ${day(codesSince)}. You have ${recoveryCodesLeft} recovery codes left.</p>
<p role="status"></p><button id="remove-codes" class="quiet">Switch off</button></section>`
  return `<section><h2>Codes</h2><p>${about}</p>
<p role="status"></p><button id="offer-codes" class="quiet">Set up an app for codes</button>
<form id="confirm-codes" hidden><img alt="QR code of the secret" width="200" height="200">
<p>Scan it with an app for codes, <a>open it there</a>, or type this secret: <code></code></p>
<label>Code <input name="code" required maxlength="10" inputmode="numeric" autocomplete="one-time-code"></label>
<p role="status"></p><button>Ask for codes from now on</button></form>
<div id="recovery-codes" hidden><p class="good">Signing in by password asks for a code from now on.</p>
<p>Write these recovery codes down: each works once in place of a code, and nothing shows them again.</p><pre></pre>
</div></section>`
}

const companySection = ({ isConnected }: Methods, name: string) => `<section><h2>Account of ${escaped(name)}</h2>
<p>${isConnected ? 'It is connected: you can sign in there.' : 'Connect it to sign in there.'}</p>
<p role="status"></p>${isConnected ? '' : '<button id="connect-company" class="quiet">Connect it</button>'}</section>`

const METHODS = { TOKEN: 'a token', PASSWORD: 'a password', PASSKEY: 'a passkey', OIDC: 'your company’s account' }

const sessionSection = (sessions: Sessions): string => `<section><h2>Sessions</h2><table><tbody>
${sessions.map(sessionRow).join('\n')}
</tbody></table><p role="status"></p></section>`

function sessionRow({
  sessionId,
  method,
  address,
  userAgent,
  createdAt,
  lastUsedAt,
  isCurrent,
}: Sessions[number]): string {
  const name = isCurrent ? '<span class="good">This browser</span>' : escaped(browserOf(userAgent))
  const since = `With ${METHODS[method]} from ${escaped(address)}, ${minute(createdAt)}`
  const used = lastUsedAt ? `; last used ${minute(lastUsedAt)}` : ''
  const [id, what] = isCurrent ? ['sign-out', 'Sign out'] : ['', 'End it']
  const button = `<button class="quiet" ${id ? `id="${id}"` : `data-end-session="${escaped(sessionId)}"`}>${what}</button>`
  return `<tr><th scope="row">${name}</th><td>${since}${used}</td><td>${button}</td></tr>`
}

/** What a person calls it; the whole of the header says less to them. */
function browserOf(userAgent: string): string {
  const browser = /\b(Edg|OPR|Firefox|Chrome|Safari|curl)\b/.exec(userAgent)?.[1] ?? 'Another browser'
  const system = /\b(Windows|Android|iPhone|iPad|Mac OS X|Linux)\b/.exec(userAgent)?.[1]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' }
  return [browser, system].flatMap((word) => (word ? [names[word] ?? word] : [])).join(' on ')
}

const RESET_LINK = `<section><h2>Another user’s password</h2>
<form id="reset-link"><label>E-mail address <input name="email" type="text" inputmode="email" required maxlength="254"
autocomplete="off" autocapitalize="none" spellcheck="false"><small>You get a link that works once, within 24 hours. Hand
it over yourself.</small></label><p role="status"></p><button class="quiet">Make a link</button></form></section>`
