import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteApp } from '../../../src/services/app/delete-app.ts'
import { updateApp } from '../../../src/services/app/update-app.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let accountId: string
let appId: string
let userId: string
let get: (path: string, headers?: Record<string, string>) => Promise<Response>

interface Entry {
  details: object
  changes: { appEnvId: string | null }[]
  changesLeftOut: number
}

const PATH = '/api/public/v1/account/audit'
const ask = (query: string) => get(`${PATH}?accountId=${accountId}${query}`)

beforeAll(async () => {
  world = await createWorld()
  accountId = await world.account()
  appId = await world.app({ accountId, name: '=1+1, "quoted"' })
  const member = await world.user({ accountId, roles: ['ADMIN'] })
  userId = member.userId
  await world.perform(deleteApp, { appId }, { as: member.token })
  const { api } = serveRest(world)
  get = async (path, headers = {}) => api.request(path, { headers: { authorization: world.adminToken, ...headers } })
})
afterAll(() => world.close())

const actionsOf = async (query: string): Promise<string[]> => {
  const { entries } = (await (await ask(query)).json()) as { entries: { action: string }[] }
  return entries.map(({ action }) => action)
}

test('is filtered by action, actor and target, alone and together', async () => {
  expect(await actionsOf('&action=createApp')).toEqual(['createApp'])
  expect(await actionsOf(`&targetId=${appId}`)).toEqual(['deleteApp', 'createApp'])
  expect(await actionsOf(`&actorId=${userId}`)).toEqual(['deleteApp'])
  expect(await actionsOf(`&targetId=${appId}&action=deleteApp&actorId=${userId}`)).toEqual(['deleteApp'])
  expect(await actionsOf('&action=nothing')).toEqual([])
})

test('says what each field was before, and what it is after', async () => {
  const { entries } = (await (await ask('&action=deleteApp')).json()) as { entries: Entry[] }
  const [entry] = entries
  expect(entry?.changes).toContainEqual({
    type: 'app',
    id: appId,
    name: '=1+1, "quoted"',
    appEnvId: null,
    field: 'name',
    before: '=1+1, "quoted"',
    after: null,
  })
  expect([entry?.changesLeftOut, Object.keys(entry?.details ?? {})]).toEqual([0, ['name', 'environments']])
  expect(await (await ask('&action=deleteApp&format=csv')).text()).toContain('""before"":8080,""after"":null')
})

test('tells a restricted member of changes of their environments, and of no others', async () => {
  const shop = await world.appEnv({ accountId, name: 'one' })
  const other = await world.appEnv({ appId: shop.appId, accountId, name: 'two' })
  await world.perform(updateApp, { appId: shop.appId, image: 'nginx:2' })
  const { token } = await world.user({ accountId, roles: ['AUDIT'], appEnvIds: [shop.appEnvId] })
  const seenBy = async (as: string) => {
    const answer = await get(`${PATH}?accountId=${accountId}&action=updateApp`, { authorization: as })
    const { entries } = (await answer.json()) as { entries: Entry[] }
    return new Set(entries.flatMap(({ changes }) => changes.flatMap(({ appEnvId }) => appEnvId ?? [])))
  }
  expect(await seenBy(world.adminToken)).toEqual(new Set([shop.appEnvId, other.appEnvId]))
  expect(await seenBy(token)).toEqual(new Set([shop.appEnvId]))
})

test('is exported as CSV, by pages that lead to each other', async () => {
  const whole = await (await ask('&format=csv')).text()
  const [head = '', ...lines] = whole.trimEnd().split('\r\n')
  expect(head.split(',')).toEqual(
    expect.arrayContaining(['auditId', 'sequence', 'action', 'address', 'details', 'changes', 'hash']),
  )
  expect(whole).toContain('"{""name"":""=1+1, \\""quoted\\""""')
  const pages: string[] = []
  let url: URL | null = new URL(`http://berth.example.com${PATH}?accountId=${accountId}&limit=1`)
  while (url !== null && pages.length < 20) {
    const answer: Response = await get(`${url.pathname}${url.search}`, { accept: 'text/csv' })
    pages.push(...(await answer.text()).trimEnd().split('\r\n').slice(1))
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    url = next === undefined ? null : new URL(next, url)
  }
  expect(pages).toEqual(lines)
})
