import { createCredential, updateCredential } from '../../src/services/credential/credential-commands.ts'
import { deleteCredential } from '../../src/services/credential/delete-credential.ts'
import { testCredential } from '../../src/services/credential/test-credential.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const data = { registry: 'registry.example.com', username: 'ada', password: 'correct horse' }
const type = 'CONTAINER_REGISTRY'

const credential = async ({ perform, accountId }: World) =>
  (await perform(createCredential, { accountId, type, name: 'Registry', data })).credentialId

export const credentialCases = [
  parityCase('createCredential', 'accepted', async ({ accountId }) => ({
    command: createCredential,
    input: { accountId, type, name: 'Registry', data },
  })),
  parityCase('createCredential without a password', 'INVALID_INPUT', async ({ accountId }) => ({
    command: createCredential,
    input: { accountId, type, name: 'Registry', data: { username: 'ada' } },
  })),
  parityCase('createCredential by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: createCredential,
    input: { accountId: world.accountId, type, name: 'Registry', data },
    token: (await world.user()).token,
  })),
  parityCase('createCredential as a default', 'accepted', async (world) => {
    await world.perform(createCredential, {
      accountId: world.accountId,
      type,
      name: 'Former',
      data,
      isDefault: true,
    })
    return {
      command: createCredential,
      input: { accountId: world.accountId, type, name: 'Now', data, isDefault: true },
    }
  }),
  parityCase('createCredential at a private registry', 'INVALID_INPUT', async ({ accountId }) => ({
    command: createCredential,
    input: { accountId, type, name: 'Registry', data: { ...data, registry: '10.0.0.1' } },
  })),
  parityCase('updateCredential', 'accepted', async (world) => ({
    command: updateCredential,
    input: { credentialId: await credential(world), name: 'Other' },
  })),
  parityCase('updateCredential at an old version', 'PRECONDITION_FAILED VERSION_MISMATCH', async (world) => ({
    command: updateCredential,
    input: { credentialId: await credential(world), name: 'Other' },
    expectedVersion: 7,
  })),
  parityCase('testCredential', 'accepted', async (world) => ({
    command: testCredential,
    input: { credentialId: await credential(world) },
  })),
  parityCase('testCredential of no registry', 'INVALID_INPUT', async (world) => {
    const login = { type: 'BASIC_AUTH', name: 'Login', data: { username: 'ada', password: 'hush' } }
    const { credentialId } = await world.perform(createCredential, { accountId: world.accountId, ...login })
    return { command: testCredential, input: { credentialId } }
  }),
  parityCase('deleteCredential', 'accepted', async (world) => ({
    command: deleteCredential,
    input: { credentialId: await credential(world) },
  })),
  parityCase('deleteCredential that an app refers to, by force', 'accepted', async (world) => {
    const credentialId = await credential(world)
    await world.app({ name: 'Shop', imagePullAccountSecretId: credentialId })
    return { command: deleteCredential, input: { credentialId, force: true } }
  }),
  parityCase('deleteCredential that an app refers to', 'CONFLICT CREDENTIAL_IN_USE', async (world) => {
    const credentialId = await credential(world)
    await world.app({ name: 'Shop', imagePullAccountSecretId: credentialId })
    return { command: deleteCredential, input: { credentialId } }
  }),
  parityCase('deleteCredential that is unknown', 'NOT_FOUND', async () => ({
    command: deleteCredential,
    input: { credentialId: 'cred_01h455vb4pex5vsknk084sn02q' },
  })),
]
