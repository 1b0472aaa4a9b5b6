import type { Config } from '../../config/config.ts'
import { VERSION } from '../../config/version.ts'
import { publicUrl } from '../../domain/public-url.ts'
import { answerJson, type ServerContext } from '../http/context.ts'
import { answerPage, escaped, ICON_ADDRESS } from '../http/page.ts'
import { type Readiness, type ReportedPart, readParts } from './health.ts'

interface Address {
  path: string
  about: string
  /** Of its link, for what a person opens in a browser. */
  title?: string
}

const CONSOLE: Address = {
  path: '/console',
  title: 'Console',
  about: 'For people: apps, deployments, logs, variables, databases.',
}

/** What answers here besides, in the order of use. */
const ADDRESSES: readonly Address[] = [
  {
    path: '/sign-in',
    title: 'Sign in',
    about: 'For people: by passkey, password or token. How you sign in, and your sessions.',
  },
  { path: '/docs', title: 'REST reference', about: 'Every call, with an example. Calls can be sent from the page.' },
  {
    path: '/graphql',
    title: 'GraphiQL',
    about: 'Queries, mutations and subscriptions, once you are signed in or with the token in the Headers tab.',
  },
  { path: '/docs/errors', title: 'Error codes', about: 'Each code and reason, and what to do about it.' },
  { path: '/openapi.json', title: 'OpenAPI document', about: 'For code generators and API clients. Version 3.1.' },
  { path: '/readyz', title: 'Health', about: 'The state of each part, as JSON, for probes and monitors.' },
  { path: '/api/public/v1', about: 'REST API v1.' },
  { path: '/mcp', about: 'MCP, for POST: every operation of REST is a tool.' },
  { path: '/mcp/readonly', about: 'MCP, for POST: only the tools that read.' },
]

interface IndexOptions {
  config: Config
  readiness: Readiness
  isDraining: boolean
}

/** What this is, what runs and how to begin; for other clients than browsers, the paths as JSON. */
export async function answerIndex(c: ServerContext, options: IndexOptions): Promise<Response> {
  const addresses = options.config.BERTH_CONSOLE ? [CONSOLE, ...ADDRESSES] : ADDRESSES
  if (!c.req.header('accept')?.includes('text/html')) {
    const paths = Object.fromEntries(addresses.map(({ path, about }) => [path, about]))
    return answerJson(c, 200, { name: 'berth', ...paths }, { Vary: 'Accept' })
  }
  const { config, readiness, isDraining } = options
  const { ready, parts } = await readParts(readiness)
  const origin = (config.BERTH_API_URL ?? new URL(c.req.url).origin).replace(/\/$/, '')
  const state = isDraining ? 'stopping' : ready ? 'running' : 'not ready'
  const sections = [
    `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>Berth</h1>
<p>Application hosting: give it an image or a repository, it gives you a URL.</p>
<p>Version ${escaped(VERSION)}, ${mark(state === 'running', state)}</p></div></header>`,
    begin(origin),
    `<section><h2>Where to go</h2><ul class="links">${addresses.map(link).join('')}</ul></section>`,
    `<section><h2>What runs</h2><table><tbody>
${Object.entries(parts).map(partRow).join('\n')}
<tr><th scope="row">MCP clients</th><td>connect to <code>${escaped(origin)}/mcp</code>, with the same header</td></tr>
<tr><th scope="row">Apps</th><td>answer at <code>${escaped(publicUrl(config, `<account>-<app>-<env>.${config.BERTH_DOMAIN}`))}</code></td></tr>
</tbody></table></section>`,
  ]
  return answerPage(c, { title: 'Berth', body: sections.join('\n') })
}

const begin = (origin: string) => `<section><h2>Begin</h2><ol>
<li><p>Take the admin token. Berth keeps it in the file <code>admin-token</code> of its data directory, unless
<code>BERTH_ADMIN_TOKEN</code> sets another.</p>
<pre><code>TOKEN=$(cat .berth/admin-token)</code></pre></li>
<li><p>Send it in the header <code>Authorization</code>, alone or after <code>Bearer</code>.</p>
<pre><code>curl -H "Authorization: $TOKEN" ${escaped(origin)}/api/public/v1/apps</code></pre></li>
<li><p>Deploy something. <code>npm run demo</code>, in the folder of Berth, deploys a sample app and prints its URL.</p></li>
</ol></section>`

const link = ({ path, title, about }: Address) =>
  title === undefined ? '' : `<li><a href="${path}"><b>${title}</b><span>${about}</span></a></li>`

const mark = (isGood: boolean, text: string) => `<span class="${isGood ? 'good' : 'bad'}">${escaped(text)}</span>`

function partRow([name, { ready, state, reason, nextStep }]: [string, ReportedPart]): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  const why = [reason && `${reason}.`, nextStep].filter(Boolean).join(' ')
  return `<tr><th scope="row">${escaped(title)}</th><td>${mark(state === 'READY', ready ? 'ready' : 'not ready')}${why && ` ${escaped(why)}`}</td></tr>`
}
