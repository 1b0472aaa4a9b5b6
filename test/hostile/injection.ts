import { MISSING_IMAGE } from './berth-under-test.ts'
import { drawOf } from './draw.ts'
import type { Findings } from './findings.ts'
import { restFault, unlessStarved } from './fuzz.ts'
import { plainFieldsOf } from './graphql-cases.ts'
import { inParallel } from './in-parallel.ts'
import { TEXT_FIELDS, type TextField, withText } from './injection-fields.ts'
import { resolve } from './rest-cases.ts'
import { inputOf } from './schema-values.ts'
import { createTargets, type Targets } from './targets.ts'
import { type Answer, graphqlFault } from './verdict.ts'
import { asCurl, type Sent, send, type Wire } from './wire.ts'

interface Pool {
  wire: Wire
  targets: Targets
  findings: Findings
  counts: InjectionCounts
}

export interface InjectionCounts {
  sent: number
  taken: number
  refused: number
  followed: number
}

export interface Attacks {
  attacks: readonly string[]
  /** Every attack in every field; otherwise fields take the attacks in turns. */
  areCrossed: boolean
}

const CONCURRENCY = 6
const API = '/api/public/v1'

/** Kept and shown to nobody, not kept at all, or shown in another form. */
const HIDDEN = /^(data|envName|region|expiresAt|url)$/

/**
 * Puts every attack, or the one whose turn it is, into every text field, reads what was taken everywhere it shows, and
 * operates on it.
 */
export async function inject(wire: Wire, findings: Findings, { attacks, areCrossed }: Attacks) {
  const counts: InjectionCounts = { sent: 0, taken: 0, refused: 0, followed: 0 }
  const cases = TEXT_FIELDS.flatMap((field, number) => {
    const taken = areCrossed ? attacks : attacks.slice(number % attacks.length).slice(0, 1)
    return taken.map((attack) => ({ field, attack }))
  })
  // Each has targets of its own, which nobody else changes between a write and its check.
  const slots: Pool[] = []
  for (let slot = 0; slot < CONCURRENCY; slot += 1) {
    slots.push({ wire, targets: await createTargets(wire), findings, counts })
  }
  await inParallel(CONCURRENCY, CONCURRENCY, async (number) => {
    for (let at = number; at < cases.length; at += CONCURRENCY) {
      const { field, attack } = cases[at] as (typeof cases)[number]
      await attempt(slots[number] as Pool, field, attack)
    }
  })
  return counts
}

async function attempt(slot: Pool, { operation, path }: TextField, attack: string): Promise<void> {
  const { targets, counts } = slot
  const making = { draw: drawOf(1, 1), targets, resolve, isCalm: true }
  const { required = [] } = operation.body ?? {}
  const all = Object.entries(inputOf(making, operation.body ?? {}) as object)
  const base: Record<string, unknown> = Object.fromEntries(all.filter(([name]) => required.includes(name)))
  const name = `${operation.method} ${operation.path.slice(API.length)}`
  if (name === 'POST /app') Object.assign(base, { port: 80, useImage: true, image: MISSING_IMAGE })
  if (name === 'POST /account/webhook') base.url = 'https://receiver.invalid/'
  if (name === 'POST /app' && path[0] === 'jobConfig') base.dockerPreset = 'JOB'
  const isLifecycle = operation.path.startsWith(`${API}/app-env/`) && path[0] !== 'envName'
  for (const id of SUBJECTS[name] ?? (isLifecycle ? ['appEnvId'] : [])) {
    base[id] = targets.idFor(id, making.draw)
  }
  const body = withText({ ...base, ...uniqueName(base) }, path, attack)
  const sent: Sent = { method: operation.method, path: operation.path, headers: {}, body: JSON.stringify(body) }
  const answer = await judge(slot, sent)
  counts.sent += 1
  if (answer.status === 200) {
    counts.taken += 1
    const ids = { ...onlyIds(body), ...onlyIds(JSON.parse(answer.text)) }
    const texts = await follow(slot, ids, LISTS[operation.path.slice(API.length)])
    const isShown = path.length > 0 && !path.some((step) => HIDDEN.test(step)) && !/Id$/.test(path[0] ?? '')
    if (isShown && !texts.has(attack) && !texts.has(attack.trim())) received(slot, sent, path, attack)
    if (operation.method === 'POST') await clear(slot, operation.path, ids, answer)
  } else {
    counts.refused += 1
    if (answer.status === 400 && !/"errors":\[/.test(answer.text))
      received(slot, sent, path, 'a refusal that names no field')
  }
}

let created = 0

/** Names of environments must differ; the attack itself replaces this one where the name is its target. */
function uniqueName(base: Record<string, unknown>) {
  created += 1
  return {
    ...('name' in base ? { name: `n${created}` } : {}),
    ...('email' in base ? { email: `n${created}@example.com` } : {}),
  }
}

/** What updates are about. */
const SUBJECTS: Record<string, string[]> = {
  'PATCH /app': ['appId'],
  'PUT /app-env': ['appEnvId'],
  'PUT /credential': ['credentialId'],
  'PUT /account/webhook': ['webhookId'],
  'PATCH /account/member': ['userId'],
}

function received({ findings, wire }: Pool, sent: Sent, path: readonly string[], attack: string): void {
  const what = `${sent.method} ${sent.path} ${path.join('.')} does not come back as it was sent`
  findings.add({ phase: 'injection', what, replay: `${JSON.stringify(attack)} ${asCurl(wire, sent)}` })
}

async function judge({ wire, findings }: Pool, sent: Sent): Promise<Answer> {
  const answer = await send(wire, sent)
  const { ms } = await unlessStarved(answer, () => send(wire, sent))
  const fault = restFault(sent, { ...answer, ms })
  if (fault)
    findings.add({
      phase: 'injection',
      what: fault,
      replay: `${asCurl(wire, sent)}\n    → ${answer.text.slice(0, 300)}`,
    })
  return answer
}

type Ids = Record<string, string>

const onlyIds = (body: Record<string, unknown>): Ids =>
  Object.fromEntries(Object.entries(body).filter(([name, id]) => /Id$/.test(name) && typeof id === 'string')) as Ids

/** Every read that shows one of these, and the list; all the texts that they show. */
async function follow(slot: Pool, ids: Ids, list?: string): Promise<Set<string>> {
  const found = new Set<string>()
  if (list) textsIn(JSON.parse((await judge(slot, { method: 'GET', path: API + list, headers: {} })).text), found)
  const accountId = ids.accountId ?? slot.targets.idFor('accountId', drawOf(1, 1)) ?? ''
  for (const [name, id] of Object.entries(ids)) {
    for (const path of READS[name] ?? []) {
      const full = `${API}${path}${encodeURIComponent(id.toWellFormed())}&accountId=${accountId}`
      const read = /\/member\?/.test(path) ? full : full.replace(/&accountId=.*/, '')
      const { status, text } = await judge(slot, { method: 'GET', path: read, headers: {} })
      slot.counts.followed += 1
      if (status === 200) textsIn(JSON.parse(text), found)
    }
  }
  for (const [name, query] of Object.entries(QUERIES)) {
    if (!ids[name]) continue
    const body = JSON.stringify({ query, variables: { id: ids[name] } })
    const { text } = await judge(slot, { method: 'POST', path: '/graphql', headers: {}, body })
    const fault = graphqlFault(text)
    if (fault)
      slot.findings.add({ phase: 'injection', what: `${name} over GraphQL ${fault}`, replay: text.slice(0, 300) })
    slot.counts.followed += 1
  }
  return found
}

const QUERIES: Record<string, string> = {
  appId: `query ($id: ID!) { app(id: $id) { ${plainFieldsOf('App')} } }`,
  appEnvId: `query ($id: ID!) { appEnv(id: $id) { ${plainFieldsOf('AppEnv')} latestDeployment { ${plainFieldsOf('Deployment')} } } }`,
  operationId: `query ($id: ID!) { operation(id: $id) { ${plainFieldsOf('Operation')} } }`,
}

const READS: Record<string, string[]> = {
  accountId: ['/account?accountId=', '/account/audit?limit=3&accountId='],
  appId: ['/app?appId=', '/app-envs?limit=3&appId='],
  appEnvId: ['/app-env?decrypt=true&appEnvId=', '/app-env/status?appEnvId=', '/app-env/history?appEnvId='],
  operationId: ['/operation?operationId='],
  credentialId: ['/credential?credentialId='],
  webhookId: ['/account/webhook?webhookId='],
  gitHookId: ['/account/git-hook?gitHookId='],
  tokenId: ['/token?tokenId='],
  userId: ['/account/member?userId='],
}

/** Where what has no id shows. */
const LISTS: Record<string, string> = { '/plan': '/plans', '/region': '/regions' }

function textsIn(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') found.add(value)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    found.add(key)
    textsIn(item, found)
  }
}

/** Operates on what was created, and deletes it. */
async function clear(slot: Pool, path: string, ids: Ids, answer: Answer): Promise<void> {
  const created = onlyIds(JSON.parse(answer.text))
  const { appEnvId, appId } = { ...created }
  if (path === `${API}/app-env` && appEnvId && !ids.preventDestroy) {
    for (const step of ['deploy-image', 'stop', 'start', 'redeploy', 'apply-changes']) {
      const body = JSON.stringify({ appEnvId, ...(step === 'deploy-image' ? { image: MISSING_IMAGE } : {}) })
      await judge(slot, { method: 'POST', path: `${API}/app-env/${step}`, headers: {}, body })
    }
    slot.counts.followed += 5
    await follow(slot, { appEnvId })
    await judge(slot, { method: 'DELETE', path: `${API}/app-env?appEnvId=${appEnvId}`, headers: {} })
  }
  if (path === `${API}/app` && appId)
    await judge(slot, { method: 'DELETE', path: `${API}/app?appId=${appId}`, headers: {} })
  if (path === `${API}/account` && created.accountId) {
    await judge(slot, { method: 'DELETE', path: `${API}/account?accountId=${created.accountId}`, headers: {} })
  }
}
