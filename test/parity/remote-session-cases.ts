import { createExec, createTunnel } from '../../src/services/remote-session/remote-session-commands.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

/** An environment with a container that serves, as far as the database knows. */
async function serving(world: World): Promise<string> {
  const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
  await world.deploy(appEnvId)
  await world.database.replica.updateMany({ where: { appEnvId }, data: { containerId: '5c2f1e0b9a74' } })
  return appEnvId
}

export const remoteSessionCases = [
  parityCase('createExec', 'accepted', async (world) => ({
    command: createExec,
    input: { appEnvId: await serving(world), command: ['sh', '-c', 'date'], terminal: true, columns: 120, rows: 40 },
  })),
  parityCase('createExec in a container by its id', 'accepted', async (world) => ({
    command: createExec,
    input: { appEnvId: await serving(world), podId: '5c2f1e0b9a74' },
  })),
  parityCase('createExec in a container that is not there', 'NOT_FOUND', async (world) => ({
    command: createExec,
    input: { appEnvId: await serving(world), podId: 'nowhere' },
  })),
  parityCase('createExec without a program', 'INVALID_INPUT', async (world) => ({
    command: createExec,
    input: { appEnvId: await serving(world), command: [] },
  })),
  parityCase('createExec before the first deployment', 'CONFLICT NO_CONTAINER', async (world) => ({
    command: createExec,
    input: { appEnvId: (await world.appEnv({ app: { name: 'Shop' } })).appEnvId },
  })),
  parityCase('createExec for a role that may not', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: createExec,
    input: { appEnvId: await serving(world) },
    token: (await world.user({ roles: ['TECHNICAL'] })).token,
  })),
  parityCase('createTunnel', 'accepted', async (world) => ({
    command: createTunnel,
    input: { appEnvId: await serving(world), port: 5432 },
  })),
  parityCase('createTunnel to no port', 'INVALID_INPUT', async (world) => ({
    command: createTunnel,
    input: { appEnvId: await serving(world), port: 0 },
  })),
]
