import type { Fixture } from './fixture.ts'

/** In an installation that allows one operation a minute and bodies of at most 1 KB. */
export const LIMITS = { BERTH_OPERATION_RATE_LIMIT: '1', BERTH_BODY_LIMIT_KB: '1' }

export async function limited({ rest, graphql, app, appEnv }: Fixture): Promise<void> {
  const appEnvId = await appEnv(await app())
  await rest('a body that is too large', 'POST /app', { name: 'x'.repeat(2_000) })
  await graphql('a document that is too large', `{ regions { code } } # ${'x'.repeat(2_000)}`)
  await rest('the one operation of the minute', 'POST /app-env/deploy-image', { appEnvId, image: 'shop:1' })
  await rest('one operation too many', 'POST /app-env/deploy-image', { appEnvId, image: 'shop:2' })
  await graphql(
    'one operation too many in GraphQL',
    'mutation ($appEnvId: ID) { deployImage(input: { appEnvId: $appEnvId, image: "shop:3" }) { success } }',
    { appEnvId },
  )
}
