import {
  createAccount,
  deleteAccount,
  renameAccount,
  setCurrentAccount,
  updateAccount,
} from '../../src/services/account/account-commands.ts'
import { addMember, removeMember, updateMember } from '../../src/services/account/member-commands.ts'
import { connectGitInstallation } from '../../src/services/git/connect-git-installation.ts'
import { createToken, revokeToken } from '../../src/services/token/token-commands.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const UNKNOWN_ACCOUNT = 'acc_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_USER = 'usr_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_TOKEN = 'tok_01h455vb4pex5vsknk084sn02q'

const email = 'ada@example.com'
/** An end that is the same in both worlds. */
const END = '2099-01-01T00:00:00.000Z'
const adminUserId = async (world: World) =>
  (await world.database.user.findFirstOrThrow({ where: { isInstallationAdmin: true } })).id

export const peopleCases = [
  parityCase('createAccount', 'accepted', async () => ({ command: createAccount, input: { name: 'Second' } })),
  parityCase('createAccount with a registry', 'accepted', async () => ({
    command: createAccount,
    input: {
      name: 'Second',
      registryServer: 'registry.example.com',
      registryUsername: 'ann',
      registryPassword: 'hush',
    },
  })),
  parityCase('createAccount with half a login', 'INVALID_INPUT', async () => ({
    command: createAccount,
    input: { name: 'Second', registryServer: 'registry.example.com' },
  })),
  parityCase('createAccount by an ordinary user', 'FORBIDDEN INSTALLATION_ADMIN_REQUIRED', async (world) => ({
    command: createAccount,
    input: { name: 'Second' },
    token: (await world.user({ roles: ['ADMIN'] })).token,
  })),
  parityCase('createAccount without a name', 'INVALID_INPUT', async () => ({
    command: createAccount,
    input: { name: '…' },
  })),
  parityCase('updateAccount', 'accepted', async (world) => ({
    command: updateAccount,
    input: { accountId: await world.account('Second'), allowFunctions: false, allowAutoScaling: false },
  })),
  parityCase('updateAccount by its own ADMIN', 'FORBIDDEN INSTALLATION_ADMIN_REQUIRED', async (world) => ({
    command: updateAccount,
    input: { accountId: world.accountId, allowFunctions: true },
    token: (await world.user({ roles: ['ADMIN'] })).token,
  })),
  parityCase('updateAccount of an unknown one', 'NOT_FOUND', async () => ({
    command: updateAccount,
    input: { accountId: UNKNOWN_ACCOUNT, allowFunctions: true },
  })),
  parityCase('renameAccount', 'accepted', async (world) => ({
    command: renameAccount,
    input: { accountId: world.accountId, name: 'Renamed' },
    token: (await world.user({ roles: ['ADMIN'] })).token,
  })),
  parityCase('renameAccount by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: renameAccount,
    input: { accountId: world.accountId, name: 'Renamed' },
    token: (await world.user()).token,
  })),
  parityCase('renameAccount to no name', 'INVALID_INPUT', async (world) => ({
    command: renameAccount,
    input: { accountId: world.accountId, name: '…' },
  })),
  parityCase('renameAccount of an unknown one', 'NOT_FOUND', async () => ({
    command: renameAccount,
    input: { accountId: UNKNOWN_ACCOUNT, name: 'Renamed' },
  })),
  parityCase('deleteAccount', 'accepted', async (world) => ({
    command: deleteAccount,
    input: { accountId: await world.account('Second') },
  })),
  parityCase('deleteAccount with apps', 'CONFLICT ACCOUNT_NOT_EMPTY', async (world) => {
    const accountId = await world.account('Second')
    await world.app({ accountId, name: 'Shop' })
    return { command: deleteAccount, input: { accountId } }
  }),
  parityCase('deleteAccount, the last one', 'CONFLICT LAST_ACCOUNT', async (world) => ({
    command: deleteAccount,
    input: { accountId: world.accountId },
  })),
  parityCase('deleteAccount by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: deleteAccount,
    input: { accountId: world.accountId },
    token: (await world.user({ roles: ['TECHNICAL'] })).token,
  })),
  parityCase('setCurrentAccount', 'accepted', async (world) => ({
    command: setCurrentAccount,
    input: { accountId: await world.account('Second') },
  })),
  parityCase('setCurrentAccount to one of others', 'FORBIDDEN NOT_A_MEMBER', async (world) => ({
    command: setCurrentAccount,
    input: { accountId: await world.account('Second') },
    token: (await world.user()).token,
  })),
  parityCase('setCurrentAccount to an unknown one', 'NOT_FOUND', async () => ({
    command: setCurrentAccount,
    input: { accountId: UNKNOWN_ACCOUNT },
  })),

  parityCase('addMember', 'accepted', async ({ accountId }) => ({
    command: addMember,
    input: { accountId, email, roles: ['TECHNICAL'] },
  })),
  parityCase('addMember who is one', 'CONFLICT ALREADY_MEMBER', async (world) => {
    await world.perform(addMember, { accountId: world.accountId, email, roles: ['AUDIT'] })
    return { command: addMember, input: { accountId: world.accountId, email, roles: ['TECHNICAL'] } }
  }),
  parityCase('addMember without roles', 'INVALID_INPUT', async ({ accountId }) => ({
    command: addMember,
    input: { accountId, email, roles: [] },
  })),
  parityCase('addMember with a role that one lacks', 'FORBIDDEN ROLE_BEYOND_OWN', async (world) => ({
    command: addMember,
    input: { accountId: world.accountId, email, roles: ['ADMIN'] },
    token: (await world.user({ roles: ['MANAGE_MEMBERS'] })).token,
  })),
  parityCase('addMember by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: addMember,
    input: { accountId: world.accountId, email, roles: ['TECHNICAL'] },
    token: (await world.user()).token,
  })),
  parityCase('updateMember', 'accepted', async (world) => ({
    command: updateMember,
    input: { accountId: world.accountId, userId: (await world.user()).userId, roles: ['AUDIT'] },
  })),
  parityCase('updateMember, the last ADMIN', 'CONFLICT LAST_ADMIN', async (world) => ({
    command: updateMember,
    input: { accountId: world.accountId, userId: await adminUserId(world), roles: ['AUDIT'] },
  })),
  parityCase('updateMember, the last ADMIN, to no environment', 'CONFLICT LAST_ADMIN', async (world) => ({
    command: updateMember,
    input: { accountId: world.accountId, userId: await adminUserId(world), appEnvIds: [] },
  })),
  parityCase('updateMember, an ADMIN, by MANAGE_MEMBERS', 'FORBIDDEN ROLE_BEYOND_OWN', async (world) => ({
    command: updateMember,
    input: { accountId: world.accountId, userId: await adminUserId(world), appEnvIds: [] },
    token: (await world.user({ roles: ['MANAGE_MEMBERS'] })).token,
  })),
  parityCase('addMember with a token that ends', 'FORBIDDEN LIFETIME_BEYOND_OWN', async (world) => ({
    command: addMember,
    input: { accountId: world.accountId, email, roles: ['AUDIT'] },
    token: (await world.token({ expiresAt: END })).token,
  })),
  parityCase('updateMember who is none', 'NOT_FOUND', async ({ accountId }) => ({
    command: updateMember,
    input: { accountId, userId: UNKNOWN_USER, roles: ['AUDIT'] },
  })),
  parityCase('removeMember', 'accepted', async (world) => ({
    command: removeMember,
    input: { accountId: world.accountId, userId: (await world.user()).userId },
  })),
  parityCase('removeMember, the last ADMIN', 'CONFLICT LAST_ADMIN', async (world) => ({
    command: removeMember,
    input: { accountId: world.accountId, userId: await adminUserId(world) },
  })),

  parityCase('connectGitInstallation without a GitHub App', 'CONFLICT GITHUB_APP_NOT_CONFIGURED', async (world) => ({
    command: connectGitInstallation,
    input: { accountId: world.accountId, gitInstallationId: '77', proof: { code: 'abc' } },
  })),
  parityCase('connectGitInstallation by AUDIT', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: connectGitInstallation,
    input: { accountId: world.accountId, gitInstallationId: '77', proof: { code: 'abc' } },
    token: (await world.user({ roles: ['AUDIT'] })).token,
  })),
  parityCase('connectGitInstallation of an unknown account', 'NOT_FOUND', async () => ({
    command: connectGitInstallation,
    input: { accountId: UNKNOWN_ACCOUNT, gitInstallationId: '77', proof: { code: 'abc' } },
  })),

  parityCase('createToken for oneself', 'accepted', async (world) => ({
    command: createToken,
    input: { kind: 'USER', name: 'Laptop' },
    token: (await world.user()).token,
  })),
  parityCase('createToken with scopes', 'accepted', async () => ({
    command: createToken,
    input: { kind: 'SCOPED', name: 'CI', scopes: ['svc:read', 'svc:write:deploy'] },
  })),
  parityCase('createToken of an environment', 'accepted', async (world) => ({
    command: createToken,
    input: { kind: 'ENVIRONMENT', name: 'CI', appEnvId: (await world.appEnv({ app: { name: 'Shop' } })).appEnvId },
  })),
  parityCase('createToken of an environment by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: createToken,
    input: { kind: 'ENVIRONMENT', name: 'CI', appEnvId: (await world.appEnv({ app: { name: 'Shop' } })).appEnvId },
    token: (await world.user()).token,
  })),
  parityCase('createToken for somebody else', 'FORBIDDEN INSTALLATION_ADMIN_REQUIRED', async (world) => ({
    command: createToken,
    input: { kind: 'USER', name: 'Theirs', userId: await adminUserId(world) },
    token: (await world.user({ roles: ['ADMIN'] })).token,
  })),
  parityCase('createToken with a scope that one lacks', 'FORBIDDEN SCOPE_BEYOND_OWN', async (world) => ({
    command: createToken,
    input: { kind: 'SCOPED', name: 'More', scopes: ['svc:admin'] },
    token: (await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })).token,
  })),
  parityCase('createToken that outlives its maker', 'FORBIDDEN LIFETIME_BEYOND_OWN', async (world) => ({
    command: createToken,
    input: { kind: 'USER', name: 'Late', expiresAt: '2100-01-01T00:00:00Z' },
    token: (await world.token({ expiresAt: END })).token,
  })),
  parityCase('createToken that has expired', 'INVALID_INPUT', async () => ({
    command: createToken,
    input: { kind: 'USER', name: 'Late', expiresAt: '2020-01-01T00:00:00Z' },
  })),
  parityCase('createToken with an environment token', 'FORBIDDEN USER_TOKEN_REQUIRED', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    return { command: createToken, input: { kind: 'USER', name: 'More' }, token }
  }),
  parityCase('revokeToken', 'accepted', async (world) => ({
    command: revokeToken,
    input: { tokenId: (await world.token()).tokenId },
  })),
  parityCase('revokeToken of somebody else', 'FORBIDDEN INSTALLATION_ADMIN_REQUIRED', async (world) => ({
    command: revokeToken,
    input: { tokenId: (await world.token()).tokenId },
    token: (await world.user({ roles: ['ADMIN'] })).token,
  })),
  parityCase('revokeToken that may do more', 'FORBIDDEN SCOPE_BEYOND_OWN', async (world) => ({
    command: revokeToken,
    input: { tokenId: (await world.token()).tokenId },
    token: (await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })).token,
  })),
  parityCase('revokeToken that is unknown', 'NOT_FOUND', async () => ({
    command: revokeToken,
    input: { tokenId: UNKNOWN_TOKEN },
  })),
]
