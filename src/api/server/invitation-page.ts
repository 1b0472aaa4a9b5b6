import type { Config } from '../../config/config.ts'
import type { ServerContext } from '../http/context.ts'
import { answerPage, escaped, ICON_ADDRESS } from '../http/page.ts'

/**
 * Where the link of an invitation leads. The secret is behind the #, which browsers keep to themselves, and the page has
 * no script: it says what to do with it.
 */
export function answerInvitation(c: ServerContext, config: Config): Response {
  const origin = (config.BERTH_API_URL ?? new URL(c.req.url).origin).replace(/\/$/, '')
  const accept = `${escaped(origin)}/api/public/v1/account/invitation/accept`
  const body = `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>You are invited</h1>
<p>to an account of this Berth. The link works once.</p></div></header>
<section><h2>If you are new here</h2>
<p>The secret is what stands behind the <code>#</code> in the address of this page. Send it in place of a token: the
answer has a token of your own, which is shown this once.</p>
<pre><code>curl -X POST -H "Authorization: &lt;secret&gt;" -H "Content-Type: application/json" -d '{}' \\
  ${accept}</code></pre></section>
<section><h2>If you have a user here</h2>
<p>Call with your own token, and send the secret as a field: the account is added to yours.</p>
<pre><code>curl -X POST -H "Authorization: $TOKEN" -H "Content-Type: application/json" \\
  -d '{"secret": "&lt;secret&gt;"}' ${accept}</code></pre>
<p><a href="/docs">All calls</a></p></section>`
  return answerPage(c, { title: 'Invitation to Berth', body })
}
