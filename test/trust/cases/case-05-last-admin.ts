import type { FreshBerth, TrustCase } from '../trust-case.ts'

export const trustCase: TrustCase = {
  number: 5,
  title: 'A member that manages members neither restricts the last ADMIN nor widens anybody beyond itself',
  async run(berth) {
    const { accountId } = await berth.ok('POST', '/account', { name: 'Members' })
    const admin = await berth.ok('GET', '/user/token')
    const manager = await addMember(berth, { accountId, roles: ['MANAGE_MEMBERS'] })
    const developer = await addMember(berth, { accountId, roles: ['TECHNICAL'], appEnvIds: [] })
    const { token } = await berth.ok('POST', '/token', { kind: 'USER', name: 'Manager', userId: manager })
    const attacks = [
      { userId: admin.userId, appEnvIds: [] },
      { userId: developer, appEnvIds: null },
      { userId: manager, roles: ['ADMIN'] },
    ]
    for (const attack of attacks) {
      const input = { accountId, ...attack }
      const answers = [
        await berth.rest('PATCH', '/account/member', input, { token: String(token) }),
        await berth.graphql(
          'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { userId } }',
          { input },
          { token: String(token) },
        ),
      ]
      if (!answers.every(({ text }) => text.includes('BEYOND_OWN')))
        throw new Error(`${JSON.stringify(attack)} was answered ${answers.map(({ text }) => text).join(' and ')}`)
    }
    const self = await berth.rest('PATCH', '/account/member', { accountId, userId: admin.userId, appEnvIds: [] })
    if (self.status !== 409) throw new Error(`The last ADMIN restricted itself: ${self.text}`)
    return `${attacks.length} attacks refused by both APIs; the last ADMIN got ${self.status} for its own restriction`
  },
}

async function addMember(berth: FreshBerth, input: object): Promise<unknown> {
  const email = `${crypto.randomUUID()}@example.com`
  return (await berth.ok('POST', '/account/member', { email, ...input })).userId
}
