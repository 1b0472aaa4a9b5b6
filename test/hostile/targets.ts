import { MISSING_IMAGE } from './berth-under-test.ts'
import type { Draw } from './draw.ts'
import { send, type Wire } from './wire.ts'

/** Ids that a request may name, by the name of the field: `appId`, `appEnvId`… */
export type Ids = Record<string, string[]>

const KEPT = 30
const API = '/api/public/v1'

/** Which field of an input is about which id of ours. */
const SAME: Record<string, string> = {
  targetContentId: 'contentId',
  imagePullAccountSecretId: 'credentialId',
  buildPullAccountSecretId: 'credentialId',
}

export interface Targets {
  /** An id of what that field names, alive as far as we know. */
  idFor(field: string, draw: Draw): string | null
  /** Remembers the ids in an answer. */
  learn(text: string): void
  /** Makes new ones: those that are known may have been deleted meanwhile. */
  renew(): Promise<void>
}

/** Real things that requests can be about, in an account of their own, so that no case locks the others out. */
export async function createTargets(wire: Wire): Promise<Targets> {
  const ids: Ids = {}
  let created = 0
  // With the admin's own token revoked, there would be nobody left to ask.
  const own = new Set<string>()
  const { text } = await send(wire, { method: 'GET', path: `${API}/tokens`, headers: {} })
  for (const [id] of text.matchAll(/[a-z]{3}_[0-9a-z]{26}/g)) own.add(id)

  function learn(text: string) {
    for (const [, field, id] of text.matchAll(/"(\w+Id)":"([a-z]{2,5}_[0-9a-z]{26})"/g)) {
      if (!field || !id || own.has(id) || field === 'accountId' || field === 'userId') continue
      const known = ids[field] ?? []
      ids[field] = known
      if (!known.includes(id)) known.unshift(id)
      known.length = Math.min(known.length, KEPT)
    }
  }

  async function post(path: string, body: object): Promise<Record<string, string>> {
    const answer = await send(wire, { method: 'POST', path: API + path, headers: {}, body: JSON.stringify(body) })
    // Another case may just have deleted what this one is about.
    if (answer.status !== 200) return {}
    learn(answer.text)
    return JSON.parse(answer.text) as Record<string, string>
  }

  let accountId = ''

  /** A case may have deleted even the account, once it was empty. */
  async function ensureAccount() {
    const path = `${API}/account?accountId=${accountId}`
    if ((await send(wire, { method: 'GET', path, headers: {} })).status === 200) return
    accountId = (await post('/account', { name: 'Hostile' })).accountId ?? ''
  }

  async function renew() {
    created += 1
    await ensureAccount()
    const { appId } = await post('/app', {
      name: `App ${created}`,
      accountId,
      port: 80,
      useImage: true,
      image: MISSING_IMAGE,
    })
    const { appEnvId } = await post('/app-env', { accountId, appId, name: `env ${created}`, region: 'local' })
    await post('/app-env/deploy-image', { appEnvId, image: MISSING_IMAGE })
    const data = { username: 'a', password: 'b' }
    await post('/credential', { accountId, type: 'BASIC_AUTH', name: `Login ${created}`, data })
    await post('/account/webhook', { accountId, name: `Receiver ${created}`, url: 'https://receiver.invalid/' })
    await post('/account/git-hook', { accountId, provider: 'GITHUB', name: `Hook ${created}` })
    await post('/token', { kind: 'ENVIRONMENT', appEnvId, name: `Token ${created}` })
    const email = `somebody${created}@example.com`
    const { userId } = await post('/account/member', { accountId, email, roles: ['AUDIT'] })
    ids.userId = [userId ?? '', ...(ids.userId ?? [])].slice(0, KEPT)
    for (const path of [`/app-env/history?appEnvId=${appEnvId}`, `/operations?appEnvId=${appEnvId}`]) {
      learn((await send(wire, { method: 'GET', path: API + path, headers: {} })).text)
    }
  }

  await renew()
  if (!ids.operationId) throw new Error('The Berth under test did not take a deployment')
  return {
    idFor(field, draw) {
      // Drawn in any case, so that what a case draws next does not depend on how many there are.
      const at = draw.whole(0, 9_999)
      if (field === 'accountId') return accountId
      const known = ids[SAME[field] ?? field] ?? []
      return known[at % known.length] ?? null
    },
    learn,
    renew,
  }
}
