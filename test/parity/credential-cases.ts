import {
  createCredential,
  deleteCredential,
  updateCredential,
} from '../../src/services/credential/credential-commands.ts'
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
  parityCase('updateCredential', 'accepted', async (world) => ({
    command: updateCredential,
    input: { credentialId: await credential(world), name: 'Other' },
  })),
  parityCase('updateCredential at an old version', 'PRECONDITION_FAILED VERSION_MISMATCH', async (world) => ({
    command: updateCredential,
    input: { credentialId: await credential(world), name: 'Other' },
    expectedVersion: 7,
  })),
  parityCase('deleteCredential', 'accepted', async (world) => ({
    command: deleteCredential,
    input: { credentialId: await credential(world) },
  })),
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
