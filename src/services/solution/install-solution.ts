import { z } from 'zod'
import { type CommandContext, command } from '../../calls/command.ts'
import { invalidInput } from '../../domain/errors.ts'
import { readInputs } from '../../solutions/input-values.ts'
import type { Solution } from '../../solutions/solution.ts'
import { install, installationPlace, permitInstall, placeOf, progress } from './install.ts'
import { declarationOf, getSolution, type LoadedInstallation } from './load-installation.ts'
import { installed } from './solution-installation-fields.ts'

export const solutionInputs = z
  .record(z.string().max(100), z.union([z.string().max(32_768), z.number(), z.boolean()]))
  .default({})
  .describe('Values of the inputs of the solution, by their names.')

const { accountId, appName, region, installationId } = installationPlace

export const installSolution = command({
  name: 'installSolution',
  rest: { method: 'POST', path: '/solutions', answer: installed },
  waits: true,
  about:
    'Install a solution: create its apps and environments, and deploy them one after the other as they depend on each other.',
  example: { request: { solutionSlug: 'wordpress', appName: 'Blog', region: 'local', inputs: {} } },
  input: z.strictObject({
    accountId,
    solutionSlug: z.string().min(1).max(100).describe('Slug of the solution, as listed by solutions.'),
    appName,
    region,
    inputs: solutionInputs,
    installationId,
  }),
  permission: 'solution:install',
  // Clients that know nothing of waiting learn whether it has worked. Below the usual timeouts of proxies.
  defaultWaitSeconds: 45,
  progress,
  target: placeOf,
  async execute(context, { inputs: given, solutionSlug, appName }, target) {
    permitInstall(context, target)
    const solution = await solutionOf(context, solutionSlug, target.installation)
    const { problems } = readInputs(solution, given)
    if (problems.length > 0) throw invalidInput(problems)
    const identity = [solutionSlug, sorted(given)]
    return install(context, { appName, identity, inputs: given }, { ...target, solution })
  },
})

/** An installation goes on as it began, whatever the catalogue says today. */
async function solutionOf(
  context: CommandContext,
  slug: string,
  installation: LoadedInstallation | null,
): Promise<Solution> {
  if (installation?.solutionSlug !== slug) return getSolution(slug)
  return (await declarationOf(context, installation)).solution
}

const sorted = (given: object) => Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1))
