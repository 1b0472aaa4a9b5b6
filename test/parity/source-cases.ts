import { inspectSource } from '../../src/services/source/inspect-source.ts'
import { parityCase } from './parity-case.ts'

const gitRepo = 'https://git.example.com/acme/shop'

export const sourceCases = [
  parityCase('inspectSource', 'accepted', async ({ accountId }) => ({
    command: inspectSource,
    input: { accountId, gitRepo },
  })),
  parityCase('inspectSource of a folder of a branch', 'accepted', async ({ accountId }) => ({
    command: inspectSource,
    input: { accountId, gitNamespace: 'acme', gitRepo: 'shop', branch: 'main', contextDir: 'web' },
  })),
  parityCase('inspectSource of an unknown account', 'NOT_FOUND', async () => ({
    command: inspectSource,
    input: { accountId: 'acc_01h455vb4pex5vsknk084sn02q', gitRepo },
  })),
  parityCase('inspectSource of a file', 'INVALID_INPUT', async ({ accountId }) => ({
    command: inspectSource,
    input: { accountId, gitRepo: 'file:///etc' },
  })),
  parityCase('inspectSource outside the source', 'INVALID_INPUT', async ({ accountId }) => ({
    command: inspectSource,
    input: { accountId, gitRepo, contextDir: '../other' },
  })),
  parityCase('inspectSource by a reader', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: inspectSource,
    input: { accountId: world.accountId, gitRepo },
    token: (await world.user({ roles: ['AUDIT'] })).token,
  })),
  parityCase('inspectSource of too many', 'CONFLICT TOO_MANY_INSPECTIONS', async (world) => {
    const input = { accountId: world.accountId, gitRepo }
    for (let count = 0; count < 10; count += 1) await world.perform(inspectSource, input)
    return { command: inspectSource, input }
  }),
]
