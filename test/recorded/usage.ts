import { type Fixture, UNKNOWN } from './fixture.ts'
import { mutation } from './fragments.ts'

/** Long ago: what was used then does not change. */
const RANGE = { from: '2025-01-01T00:00:00Z', to: '2025-02-01T00:00:00Z' }

async function metered({ accountId, app, appEnv, meterDay }: Fixture): Promise<void> {
  const appId = await app()
  await meterDay({ accountId, appId, appEnvId: await appEnv(appId) })
}

/** Usage, statements and budgets. */
export async function restUsage(fixture: Fixture): Promise<void> {
  const { rest, accountId } = fixture
  await metered(fixture)
  const first = await rest('read usage, first page', 'GET /account/usage', { accountId, ...RANGE, limit: '1' })
  const { nextCursor: cursor } = first.body
  await rest('read usage, second page', 'GET /account/usage', { accountId, ...RANGE, limit: '1', cursor })
  await rest('read usage as a stranger', 'GET /account/usage', { accountId, ...RANGE }, { as: 'stranger' })
  await rest('read usage of an unknown account', 'GET /account/usage', { accountId: `acc_${UNKNOWN}` })
  await rest('read usage of no time', 'GET /account/usage', { accountId, from: RANGE.to, to: RANGE.from })
  await rest('read usage of too long a time', 'GET /account/usage', {
    accountId,
    ...RANGE,
    from: '2020-01-01T00:00:00Z',
  })
  await rest('read usage after a wrong cursor', 'GET /account/usage', { accountId, cursor: 'nowhere' })
  await rest('list statements', 'GET /account/statements', { accountId })
  await rest('list statements after a wrong cursor', 'GET /account/statements', { accountId, cursor: 'nowhere' })
  await rest('read a budget that is not set', 'GET /account/budget', { accountId })
  await rest('set a budget', 'PUT /account/budget', { accountId, amount: '250.5' })
  await rest('read it', 'GET /account/budget', { accountId })
  await rest('set a budget of nothing', 'PUT /account/budget', { accountId, amount: '0' })
  await rest('set a budget as TECHNICAL', 'PUT /account/budget', { accountId, amount: '1' }, { as: 'technical' })
  await rest('delete it', 'DELETE /account/budget', { accountId })
  await rest('delete it again', 'DELETE /account/budget', { accountId })
}

export async function graphqlUsage(fixture: Fixture): Promise<void> {
  const { graphql, accountId } = fixture
  await metered(fixture)
  const range = '$accountId: ID, $from: DateTime, $to: DateTime'
  const given = 'accountId: $accountId, from: $from, to: $to'
  const totals = `query (${range}) { usage(${given}) { ...Usage } }`
  await graphql('read totals', totals, { accountId, ...RANGE })
  await graphql('read totals of an unknown account', totals, { accountId: `acc_${UNKNOWN}`, ...RANGE })
  await graphql('read totals of no time', totals, { accountId, from: RANGE.to, to: RANGE.from })
  const lines = `query (${range}, $after: String) {
    usageLines(${given}, first: 1, after: $after) { nodes { ...UsageLine } pageInfo { ...Page } } }`
  const { body } = await graphql('list lines, first page', lines, { accountId, ...RANGE })
  const after = body.data.usageLines.pageInfo.endCursor
  await graphql('list lines, second page', lines, { accountId, ...RANGE, after })
  await graphql('list lines as a stranger', lines, { accountId, ...RANGE }, { as: 'stranger' })
  const statements =
    'query ($accountId: ID) { statements(accountId: $accountId) { nodes { ...UsageStatement } pageInfo { ...Page } } }'
  await graphql('list statements', statements, { accountId })
  await graphql('list statements as a stranger', statements, { accountId }, { as: 'stranger' })
  const read = 'query ($accountId: ID) { budget(accountId: $accountId) { amount currency spent alerts } }'
  await graphql('read a budget that is not set', read, { accountId })
  const set = mutation('setBudget', 'accountId amount currency')
  await graphql('set a budget', set, { input: { accountId, amount: '250.5' } })
  await graphql('set a budget of nothing', set, { input: { accountId, amount: '0' } })
  await graphql('read a budget', read, { accountId })
  const remove = mutation('deleteBudget', 'message')
  await graphql('delete it', remove, { input: { accountId } })
  await graphql('delete it again', remove, { input: { accountId } })
}
