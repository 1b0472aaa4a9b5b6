import { advanceInstallations } from '../../src/services/solution/advance-installations.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { findSolution } from '../../src/solutions/solutions.ts'
import { createWorld } from '../support/world.ts'

/** Five components: two services, the editor that needs both, a worker and webhooks that need the editor. */
export const N8N = findSolution('n8n')
export const KEYS = N8N?.components.map(({ key }) => key) ?? []

export type SolutionWorld = Awaited<ReturnType<typeof createSolutionWorld>>

/** A world, and shortcuts to install solutions in it. */
export async function createSolutionWorld() {
  const world = await createWorld()
  let names = 0

  const request = (fields: Record<string, unknown> = {}) => {
    names += 1
    const { accountId } = world
    return { accountId, solutionSlug: 'n8n', appName: `Flow ${names}`, region: 'local', inputs: {}, ...fields }
  }

  const install = (
    input: Record<string, unknown>,
    options: { as?: string; dryRun?: boolean; waitSeconds?: number } = {},
  ) => world.perform(installSolution, input, options)

  const installationOf = (id: string) =>
    world.database.solutionInstallation.findUniqueOrThrow({
      where: { id },
      include: { components: { orderBy: { position: 'asc' } } },
    })

  async function statesOf(id: string): Promise<Record<string, string>> {
    const { components } = await installationOf(id)
    return Object.fromEntries(components.map(({ key, state }) => [key, state]))
  }

  /** The keys that are being deployed. */
  const going = async (id: string) =>
    Object.entries(await statesOf(id)).flatMap(([key, state]) => (state === 'DEPLOYING' ? [key] : []))

  /** Ends what is being deployed as workers would, round after round, until the installation has ended. */
  async function finish(id: string, failing: readonly string[] = []): Promise<string[][]> {
    const rounds: string[][] = []
    for (let round = 0; round <= KEYS.length; round += 1) {
      const { status, components } = await installationOf(id)
      if (status !== 'INSTALLING') return rounds
      const deploying = components.filter(({ state }) => state === 'DEPLOYING')
      rounds.push(deploying.map(({ key }) => key))
      for (const { key, operationId } of deploying)
        await world.endOperation(operationId, failing.includes(key) ? 'FAILED' : 'SUCCEEDED')
      await advanceInstallations(world)
    }
    throw new Error('The installation did not end')
  }

  async function counts() {
    const [apps, appEnvs, operations, installations, volumes] = await Promise.all([
      world.database.app.count(),
      world.database.appEnv.count(),
      world.database.operation.count(),
      world.database.solutionInstallation.count(),
      world.database.volume.count(),
    ])
    return { apps, appEnvs, operations, installations, volumes }
  }

  return { world, request, install, installationOf, statesOf, going, finish, counts }
}
