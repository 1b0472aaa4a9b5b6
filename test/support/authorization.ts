import { newId } from '../../src/domain/ids.ts'
import type { Scope } from '../../src/domain/permissions.ts'
import { approveAuthorization } from '../../src/services/oauth/consent-commands.ts'
import type { World } from './world.ts'

/** What a person agreed to on the page of consent, without a browser and without a client that goes on. */
export async function authorised(
  world: Pick<World, 'database' | 'perform'>,
  { as, scopes = ['svc:read', 'svc:write:deploy'] }: { as?: string; scopes?: Scope[] } = {},
) {
  const clientId = newId('ocl')
  const metadata = { client_id: clientId, client_name: 'Editor' }
  await world.database.oauthClient.create({ data: { id: clientId, name: 'Editor', metadata } })
  const input = { clientId, scopes, resource: 'http://localhost:4000' }
  const { authorizationId } = await world.perform(approveAuthorization, input, as ? { as } : {})
  return { clientId, authorizationId }
}
