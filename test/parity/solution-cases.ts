import { installSolution } from '../../src/services/solution/install-solution.ts'
import { removeInstallation } from '../../src/services/solution/remove-installation.ts'
import type { World } from '../support/world.ts'
import { type ParityCase, type Prepared, parityCase } from './parity-case.ts'

const request = (world: World, fields: Record<string, unknown> = {}) => ({
  ...{ accountId: world.accountId, solutionSlug: 'verdaccio', appName: 'Registry', region: 'local', ...fields },
})

const installed = async (world: World): Promise<string> =>
  (await world.perform(installSolution, request(world))).installationId

const install = (title: string, expected: string, prepare: (world: World) => Promise<Omit<Prepared, 'command'>>) =>
  parityCase(`installSolution ${title}`, expected, async (world) => ({
    command: installSolution,
    ...(await prepare(world)),
  }))

export const solutionCases: ParityCase[] = [
  install('of the catalogue', 'accepted', async (world) => ({ input: request(world) })),
  install('that goes on', 'accepted', async (world) => ({
    input: request(world, { installationId: await installed(world) }),
  })),
  install('with wrong inputs', 'INVALID_INPUT', async (world) => ({
    input: request(world, { solutionSlug: 'directus', inputs: { adminEmail: 'nobody', colour: 'red' } }),
  })),
  install('of nothing', 'NOT_FOUND', async (world) => ({ input: request(world, { solutionSlug: 'nothing' }) })),
  install('without a sandbox', 'FORBIDDEN SANDBOX_NOT_READY', async (world) => ({
    input: request(world, { solutionSlug: 'code-server', inputs: { password: 'a long password' } }),
  })),
  install('with another name than before', 'CONFLICT INSTALLATION_CHANGED', async (world) => ({
    input: request(world, { appName: 'Packages', installationId: await installed(world) }),
  })),
  install('by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    input: request(world),
    token: (await world.user()).token,
  })),
  install('with one of two scopes', 'FORBIDDEN SCOPE_MISSING', async (world) => ({
    input: request(world),
    token: (await world.token({ kind: 'SCOPED', scopes: ['svc:write:config'] })).token,
  })),
  parityCase('removeInstallation', 'accepted', async (world) => ({
    command: removeInstallation,
    input: { installationId: await installed(world) },
  })),
  parityCase('removeInstallation by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: removeInstallation,
    input: { installationId: await installed(world) },
    token: (await world.user()).token,
  })),
  parityCase('removeInstallation of an unknown one', 'NOT_FOUND', async () => ({
    command: removeInstallation,
    input: { installationId: 'inst_01kb3f8q4hevz9sr2m6x7d5t0c' },
  })),
]
