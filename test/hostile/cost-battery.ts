import { setTimeout as sleep } from 'node:timers/promises'
import type { BerthUnderTest } from './berth-under-test.ts'
import type { Findings } from './findings.ts'
import { graphqlFault, SLOWEST_MS } from './verdict.ts'

interface Attack {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
}

const repeated = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i)).join(' ')
const nested = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth)

const WIDE = '{ apps(first: 1000) { nodes { appEnvs(first: 1000) { nodes { id } } } } }'

/** Documents that ask for more than anybody may. Each must be refused before a single resolver has run. */
const ATTACKS: Record<string, Attack> = {
  deep: { query: `{ ${nested(6, 'apps(first: 1) { nodes { account { ', 'id', ' } } }')} }` },
  'deep by inline fragments': {
    query: `{ apps(first: 1) { nodes { ${nested(20, '... on App { account { apps(first: 1) { nodes { ', 'id', ' } } } }')} } } }`,
  },
  'deep by fragments': {
    query: `{ ...F0 } ${repeated(20, (i) => `fragment F${i} on Query { apps(first: 1) { nodes { account { apps { nodes { id } } } } } ${i < 19 ? `...F${i + 1}` : ''} }`)} fragment G on Account { apps { nodes { account { apps { nodes { account { apps { nodes { account { apps { nodes { account { id } } } } } } } } } } } } } query Q { accounts { nodes { ...G } } }`,
    operationName: 'Q',
  },
  wide: { query: WIDE },
  'wide by variables': {
    query: 'query ($n: Int!) { apps(first: $n) { nodes { appEnvs(first: $n) { nodes { id } } } } }',
    variables: { n: 1000 },
  },
  'wide by a default': {
    query: 'query ($n: Int = 1000) { apps(first: $n) { nodes { appEnvs(first: $n) { nodes { id } } } } }',
  },
  'wide by the last': { query: '{ apps(last: 1000) { nodes { appEnvs(last: 1000) { nodes { id } } } } }' },
  'wide behind @include': {
    query: `query ($yes: Boolean = true) { apps(first: 1000) @include(if: $yes) { nodes { appEnvs(first: 1000) @skip(if: false) { nodes { id } } } } }`,
  },
  'wide beside something small': { query: `{ __typename ${WIDE.slice(2)}` },
  'wide in a mutation’s answer': {
    query:
      'mutation ($a: ID!) { setCurrentAccount(input: { accountId: $a }) { account { apps(first: 1000) { nodes { appEnvs(first: 1000) { nodes { id } } } } } } }',
    variables: { a: 'acc_x' },
  },
  'a page beyond the limit': { query: '{ apps(first: 2147483647) { nodes { id } } }' },
  'a page below nothing': { query: '{ apps(first: -1) { nodes { id } } }' },
  'a page by a float': { query: 'query ($n: Int!) { apps(first: $n) { nodes { id } } }', variables: { n: 1e300 } },
  aliases: { query: `{ ${repeated(500, (i) => `a${i}: regions { code }`)} }` },
  'aliases of a mutation': {
    query: `mutation { ${repeated(60, (i) => `m${i}: createAccount(input: { name: "x${i}" }) { account { id } }`)} }`,
  },
  'aliases in fragments': {
    query: `{ ...A ...B } fragment A on Query { ${repeated(20, (i) => `a${i}: __typename`)} } fragment B on Query { ${repeated(20, (i) => `b${i}: __typename`)} }`,
  },
  'the same field again and again': { query: `{ ${'__typename '.repeat(3_000)} }` },
  'a fragment that spreads itself': { query: '{ ...F } fragment F on Query { ...F apps { nodes { id } } }' },
  'fragments in a ring': {
    query:
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...C } fragment C on Query { apps { nodes { id } } ...A }',
  },
  'a bomb of fragments': {
    query: `{ apps(first: 1000) { nodes { ...F0 } } } ${repeated(15, (i) => `fragment F${i} on App { id ...F${i + 1} ...F${i + 1} }`)} fragment F15 on App { appEnvs(first: 100) { nodes { id } } }`,
  },
  'directives by the hundred': { query: `{ apps ${'@include(if: true) '.repeat(500)} { nodes { id } } }` },
  'directives that there are not': { query: `{ apps ${repeated(300, (i) => `@d${i}`)} { nodes { id } } }` },
  'a list without an end': {
    query: 'query ($l: [String!]!) { node(id: $l) { id } }',
    variables: { l: Array(20_000).fill('a') },
  },
  'an argument that is deep': { query: `{ node(id: ${nested(900, '[', '1', ']')}) { id } }` },
  'an object that is deep': {
    query: `mutation { createApp(input: { name: "a", accountId: "b", healthCheckHeaders: ${nested(900, '{ a: ', '1', ' }')} }) { app { id } } }`,
  },
  'variables by the thousand': { query: `query (${repeated(900, (i) => `$v${i}: Int`)}) { apps { nodes { id } } }` },
  'a variable with a bomb in it': {
    query: 'query ($v: Int!) { apps(first: $v) { nodes { id } } }',
    variables: { v: { a: Array(50_000).fill('x') } },
  },
  'values that nobody declared': {
    query: '{ nothing }',
    variables: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`v${i}`, i])),
  },
  'operations by the hundred': {
    query: repeated(400, (i) => `query Q${i} { apps { nodes { id } } }`),
    operationName: 'Q1',
  },
  'an introspection that nests': {
    query: `{ __schema { types { ${nested(8, 'fields { type { ', 'name', ' } }')} } } }`,
  },
  'an introspection that goes round': {
    query: '{ __schema { types { interfaces { possibleTypes { interfaces { possibleTypes { name } } } } } } }',
  },
  'introspections by the dozen': { query: `{ ${repeated(40, (i) => `s${i}: __schema { types { name } }`)} }` },
  'a name of a hundred thousand letters': { query: `{ ${'a'.repeat(100_000)} }` },
  'a comment and no more': { query: `#${'x'.repeat(500_000)}` },
  'a string that never ends': { query: `{ app(id: """${'x'.repeat(500_000)} }` },
  'brackets and no more': { query: '{'.repeat(100_000) },
  'field suggestions': { query: `{ ${repeated(300, (i) => `appz${i}`)} }` },
}

type Transport = (attack: Attack) => Promise<string>

/** Sends the battery over every transport, and asks the process itself whether a resolver ran; how many were sent. */
export async function sendBattery(berth: BerthUnderTest, transports: Record<string, Transport>, findings: Findings) {
  let sent = 0
  await untilQuiet(berth)
  for (const [transport, send] of Object.entries(transports)) {
    for (const [name, attack] of Object.entries(ATTACKS)) {
      const before = (await berth.testify()).resolvers
      const since = performance.now()
      const text = await send(attack)
      const ms = performance.now() - since
      const ran = (await berth.testify()).resolvers - before
      const fault = faultOf(text, ms, ran)
      if (fault)
        findings.add({ phase: `cost over ${transport}`, what: `${name}: ${fault}`, replay: text.slice(0, 300) })
      sent += 1
    }
    // The battery proves nothing unless the same way in lets a resolver run for what is allowed.
    const before = (await berth.testify()).resolvers
    await send({ query: '{ regions { code } }' })
    if ((await berth.testify()).resolvers === before)
      findings.add({ phase: `cost over ${transport}`, what: 'nothing is seen of resolvers' })
  }
  await sendBatch(berth, findings)
  return sent + 1
}

const QUIET_MS = 300
const MAX_LOOKS = 100

/** On a busy machine, what earlier phases asked for may still be under way, and its resolvers would count here. */
async function untilQuiet({ testify }: BerthUnderTest): Promise<void> {
  let seen = -1
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const { resolvers } = await testify()
    if (resolvers === seen) return
    seen = resolvers
    await sleep(QUIET_MS)
  }
}

function faultOf(text: string, ms: number, ran: number): string | null {
  if (ran > 0) return `${ran} resolvers ran`
  if (ms > SLOWEST_MS) return `took ${Math.round(ms)} ms`
  const shape = graphqlFault(text)
  if (shape) return shape
  return text.includes('"errors"') ? null : 'was answered'
}

/** Many operations in one body, each of them harmless. */
async function sendBatch({ url, token, testify }: BerthUnderTest, findings: Findings): Promise<void> {
  const before = (await testify()).resolvers
  const body = JSON.stringify(Array(100).fill({ query: `{ apps { nodes { id } } }` }))
  const headers = { 'content-type': 'application/json', authorization: token }
  const { status } = await fetch(`${url}/graphql`, { method: 'POST', headers, body })
  const ran = (await testify()).resolvers - before
  if (status !== 400 || ran > 0)
    findings.add({ phase: 'cost over http', what: `a batch: ${status}, ${ran} resolvers ran` })
}
