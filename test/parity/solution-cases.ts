import { installCompose } from '../../src/services/solution/install-compose.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { removeInstallation } from '../../src/services/solution/remove-installation.ts'
import { upgradeInstallation } from '../../src/services/solution/upgrade-installation.ts'
import type { World } from '../support/world.ts'
import { type ParityCase, type Prepared, parityCase } from './parity-case.ts'

const request = (world: World, fields: Record<string, unknown> = {}) => ({
  accountId: world.accountId,
  solutionSlug: 'verdaccio',
  appName: 'Registry',
  region: 'local',
  ...fields,
})

const installed = async (world: World): Promise<string> =>
  (await world.perform(installSolution, request(world))).installationId

/** Complete, and of a revision before the present one. */
async function installedBefore(world: World): Promise<string> {
  const id = await installed(world)
  await world.database.solutionInstallation.update({ where: { id }, data: { status: 'INSTALLED', revision: 0 } })
  return id
}

const composed = (world: World, fields: Record<string, unknown> = {}) => ({
  accountId: world.accountId,
  appName: 'Site',
  region: 'local',
  compose: 'services: { web: { image: "nginx:1.27", ports: ["80:80"] } }',
  ...fields,
})

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
  parityCase('installCompose', 'accepted', async (world) => ({ command: installCompose, input: composed(world) })),
  parityCase('installCompose of what cannot be honoured', 'INVALID_INPUT', async (world) => ({
    command: installCompose,
    input: composed(world, { compose: 'services: { web: { build: ., privileged: true } }' }),
  })),
  parityCase('installCompose by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: installCompose,
    input: composed(world),
    token: (await world.user()).token,
  })),
  parityCase('upgradeInstallation', 'accepted', async (world) => ({
    command: upgradeInstallation,
    input: { installationId: await installedBefore(world) },
  })),
  parityCase('upgradeInstallation while it goes on', 'CONFLICT INSTALLATION_UNFINISHED', async (world) => ({
    command: upgradeInstallation,
    input: { installationId: await installed(world) },
  })),
  parityCase('upgradeInstallation with wrong inputs', 'INVALID_INPUT', async (world) => ({
    command: upgradeInstallation,
    input: { installationId: await installedBefore(world), inputs: { colour: 'red' } },
  })),
  parityCase('upgradeInstallation by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: upgradeInstallation,
    input: { installationId: await installedBefore(world) },
    token: (await world.user()).token,
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
