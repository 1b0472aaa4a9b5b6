import type { Hono } from 'hono'
import { INVITATION_PATH } from '../../services/account/invitation-commands.ts'
import type { ServerContext, ServerEnv } from '../http/context.ts'
import { answerPage, escaped, ICON_ADDRESS } from '../http/page.ts'
import { findSignedIn } from '../http/signed-in.ts'
import { homeOf, type SignInParts } from './browser-calls.ts'
import { scriptPath } from './scripts.ts'

/** Where the link of an invitation leads. Its secret is behind the #, which browsers keep to themselves. */
export function mountInvitation(app: Hono<ServerEnv>, parts: SignInParts): void {
  app.get(INVITATION_PATH, async (c) => {
    const caller = await findSignedIn(c, parts)
    const person = caller && (await parts.services.users.self(caller))
    return answerInvitation(c, parts, person?.email ?? null)
  })
}

function answerInvitation(c: ServerContext, parts: SignInParts, email: string | null): Response {
  const home = homeOf(parts)
  const body = `<header data-home="${home}"><img src="${ICON_ADDRESS}" alt=""><div><h1>You are invited</h1>
<p>to an account of this Berth. The link works once.</p></div></header>
<div id="choices">
${email === null ? JOIN : added(email)}
${email === null ? haveUser(c) : OTHER_USER}
</div>
<section id="joined" hidden><h2>Welcome</h2>
<p>You are signed in. This is your token, which nothing shows again: keep it until you have set up a passkey or a password.</p>
<p><code></code></p>
<p><a class="button" href="/account-security">Set up a passkey or a password</a></p>
<p><a href="${home}">Go on</a></p></section>
<section><details><summary>By a program</summary>
<p>Send the secret, which stands behind the <code>#</code> in the address of this page, in place of a token; or as the field
<code>secret</code> with a token of your own.</p>
<pre><code>curl -X POST -H "Authorization: &lt;secret&gt;" -H "Content-Type: application/json" -d '{}' \\
  ${escaped(originOf(c, parts))}/api/public/v1/account/invitation/accept</code></pre></details></section>`
  return answerPage(c, { title: 'Invitation to Berth', body, script: scriptPath('invitation') })
}

const originOf = (c: ServerContext, { config }: SignInParts): string =>
  (config.BERTH_API_URL ?? new URL(c.req.url).origin).replace(/\/$/, '')

const JOIN = `<section><h2>If you are new here</h2>
<p>You get a user of your own, with the address that was invited.</p>
<p role="status"></p><button id="join">Join</button></section>`

const haveUser = (c: ServerContext) => `<section><h2>If you have a user here</h2>
<p>Sign in first, then open the link of the invitation again: the account is added to yours.</p>
<p><a class="button" href="/sign-in?${new URLSearchParams({ next: new URL(c.req.url).pathname })}">Sign in</a></p></section>`

const added = (email: string) => `<section><h2>Add the account to yours</h2>
<p>You are signed in as ${escaped(email)}.</p>
<p role="status"></p><button id="add">Add it</button></section>`

const OTHER_USER = `<section><h2>If that is not you</h2>
<p>Sign out first, then open the link of the invitation again.</p>
<p><a href="/sign-in">Sign out, or sign in as another</a></p></section>`
