import { commitId, type Pushed, payloadOf, sentBy } from './git-hosts.ts'
import type { World } from './world.ts'

/** Has a git host tell an account of a push, by the services alone; returns the id of the delivery in the log. */
export async function receivedDelivery(
  { services, database }: Pick<World, 'services' | 'database'>,
  { gitHookId, secret }: { gitHookId: string; secret: string },
  pushed: Partial<Pushed> = {},
): Promise<string> {
  const source = await services.gitHooks.source(gitHookId)
  if (!source) throw new Error(`There is no git hook ${gitHookId}`)
  const payload = payloadOf('GITHUB', { url: 'https://git.example.com/acme/shop', after: commitId('a'), ...pushed })
  const { headers, body } = sentBy('GITHUB', secret, payload)
  const header = (name: string) => headers[name]
  await services.gitHooks.receive(source, {
    address: '203.0.113.7',
    header,
    body: Buffer.from(body),
    contentType: headers['content-type'],
  })
  const row = await database.gitDelivery.findFirstOrThrow({ where: { source: gitHookId }, orderBy: { id: 'desc' } })
  return row.id
}
