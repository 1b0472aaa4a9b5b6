import { revokeAuthorization } from '../../src/services/oauth/authorization-commands.ts'
import { rotateToken } from '../../src/services/token/rotate-token.ts'
import { authorised } from '../support/authorization.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const UNKNOWN_TOKEN = 'tok_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_AUTHORIZATION = 'oau_01h455vb4pex5vsknk084sn02q'

const authorizationOf = async (world: World, as?: string) => (await authorised(world, as ? { as } : {})).authorizationId

/** Rotated tokens, and applications that users have authorised. */
export const tokenCases = [
  parityCase('rotateToken of the call', 'accepted', async (world) => ({
    command: rotateToken,
    input: {},
    token: (await world.user()).token,
  })),
  parityCase('rotateToken that it made, at once', 'accepted', async (world) => {
    const { tokenId } = await world.token()
    return { command: rotateToken, input: { tokenId, graceSeconds: 0 } }
  }),
  parityCase('rotateToken of an environment', 'accepted', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    const { tokenId } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    return { command: rotateToken, input: { tokenId } }
  }),
  parityCase('rotateToken that somebody else made', 'FORBIDDEN TOKEN_NOT_OWN', async (world) => ({
    command: rotateToken,
    input: { tokenId: (await world.token()).tokenId },
    token: (await world.user({ roles: ['ADMIN'] })).token,
  })),
  parityCase('rotateToken that the token was made with', 'FORBIDDEN TOKEN_NOT_OWN', async (world) => {
    const parent = await world.token()
    return {
      command: rotateToken,
      input: { tokenId: parent.tokenId },
      token: (await world.token({ as: parent.token })).token,
    }
  }),
  parityCase('rotateToken with an environment token', 'FORBIDDEN USER_TOKEN_REQUIRED', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    return { command: rotateToken, input: {}, token: (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token }
  }),
  parityCase('rotateToken by its former secret', 'FORBIDDEN FORMER_SECRET', async (world) => {
    const { token } = await world.user()
    await world.perform(rotateToken, {}, { as: token })
    return { command: rotateToken, input: {}, token }
  }),
  parityCase('rotateToken of the installation’s admin', 'CONFLICT TOKEN_NOT_ROTATED', async () => ({
    command: rotateToken,
    input: {},
  })),
  parityCase('rotateToken with too long a grace', 'INVALID_INPUT', async (world) => ({
    command: rotateToken,
    input: { graceSeconds: 604_801 },
    token: (await world.user()).token,
  })),
  parityCase('rotateToken that is unknown', 'NOT_FOUND', async () => ({
    command: rotateToken,
    input: { tokenId: UNKNOWN_TOKEN },
  })),

  parityCase('revokeAuthorization', 'accepted', async (world) => ({
    command: revokeAuthorization,
    input: { authorizationId: await authorizationOf(world) },
  })),
  parityCase('revokeAuthorization of oneself', 'accepted', async (world) => {
    const { token } = await world.user()
    return { command: revokeAuthorization, input: { authorizationId: await authorizationOf(world, token) }, token }
  }),
  parityCase('revokeAuthorization of somebody else', 'FORBIDDEN INSTALLATION_ADMIN_REQUIRED', async (world) => ({
    command: revokeAuthorization,
    input: { authorizationId: await authorizationOf(world) },
    token: (await world.user({ roles: ['ADMIN'] })).token,
  })),
  parityCase('revokeAuthorization that may do more', 'FORBIDDEN SCOPE_BEYOND_OWN', async (world) => ({
    command: revokeAuthorization,
    input: { authorizationId: await authorizationOf(world) },
    token: (await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })).token,
  })),
  parityCase('revokeAuthorization that is unknown', 'NOT_FOUND', async () => ({
    command: revokeAuthorization,
    input: { authorizationId: UNKNOWN_AUTHORIZATION },
  })),
]
