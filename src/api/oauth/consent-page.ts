import type { Scope } from '../../domain/permissions.ts'
import type { Services } from '../../services/services.ts'
import { escaped, ICON_ADDRESS } from '../http/page.ts'

/** What a scope means to a person who is asked for it. */
const MEANINGS: Readonly<Record<Scope, string>> = {
  'svc:read': 'See your accounts, apps, environments, logs and metrics.',
  'svc:read:secrets': 'Read secrets: values of variables, passwords of databases, backups.',
  'svc:write:config': 'Create apps and environments, and change their settings.',
  'svc:write:deploy': 'Deploy, start, stop and roll back environments, and run jobs.',
  'svc:admin': 'Administer your accounts: members, tokens, and deleting what is in them.',
}

const DANGEROUS: ReadonlySet<Scope> = new Set(['svc:read:secrets', 'svc:admin'])

export interface Question {
  uid: string
  clientId: string
  clientName: string
  /** Null for a program that asked by a code. */
  redirectUri: string | null
  scopes: readonly Scope[]
  resource: string
}

type Person = Awaited<ReturnType<Services['authorizations']['consent']>>

/** Asks a person. Everything that the client said about itself is shown as its claim. */
export function consentPage(question: Question, person: Person, action: string) {
  const { clientName, redirectUri, scopes } = question
  const name = escaped(clientName)
  const items = scopes.map((scope) => {
    const meaning = `${MEANINGS[scope]} <code>${scope}</code>`
    return `<li>${DANGEROUS.has(scope) ? `<span class="bad">${meaning}</span>` : meaning}</li>`
  })
  const to =
    redirectUri === null ? 'the program that showed you the code' : `<code>${escaped(placeOf(redirectUri))}</code>`
  const body = `<header><img src="${ICON_ADDRESS}" alt=""><div><h1>Let “${name}” act for you?</h1>
<p>You are ${escaped(person.username)} (${escaped(person.email)}).</p></div></header>
<section><h2>It asks for this</h2><ul>${items.join('')}</ul><p>${accountsOf(person)}</p></section>
<section><h2>Is it what you expect?</h2>
<p>“${name}” is what the application calls itself; the name is not verified. Your answer goes to ${to}.
If you did not start this yourself just now, refuse.</p>
<form method="post" action="${escaped(action)}"><div><button name="answer" value="approve">Allow</button>
<button name="answer" value="refuse" class="quiet">Refuse</button></div></form>
<p class="hint">You can take it back at any time: list your authorizations, and revoke one.</p></section>`
  return { title: 'Authorise an application', body, formAction: formActionOf(redirectUri) }
}

function accountsOf({ isInstallationAdmin, accounts }: Person): string {
  if (isInstallationAdmin) return 'You administer this installation: it reaches <strong>every account</strong> in it.'
  if (accounts.length === 0) return 'You are a member of no account yet; it would reach those that you join.'
  const list = accounts.map(
    ({ name, roles }) => `${escaped(name)} (${roles.map((role) => role.toLowerCase()).join(', ')})`,
  )
  return `It could do so in all accounts where you may: ${list.join('; ')}. Never more than you may yourself.`
}

const placeOf = (redirectUri: string): string => {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : `${protocol}${host && `//${host}`} on this device`
}

/** Browsers hold a form to where the answer to it leads, too. */
function formActionOf(redirectUri: string | null): string {
  if (redirectUri === null) return "'self'"
  const { protocol, origin } = new URL(redirectUri)
  return `'self' ${protocol === 'https:' || protocol === 'http:' ? origin : protocol}`
}
