import { z } from 'zod'
import { invalidInput } from '../../domain/errors.ts'
import { COMPOSE_SLUG, importCompose } from '../../solutions/compose/import-compose.ts'
import { readInputs } from '../../solutions/input-values.ts'
import type { Solution } from '../../solutions/solution.ts'
import { command } from '../kernel/command.ts'
import { type InstallTarget, install, installationPlace, placeOf, progress } from './install.ts'

const { accountId, appName, region, installationId } = installationPlace

const compose = z
  .string()
  .min(1)
  .max(32_768)
  .describe(
    'Text of a compose file. What cannot be honoured is refused by name, all at once; a dry run shows the plan.',
  )

const variables = z
  .record(z.string().max(100), z.string().max(4096))
  .default({})
  .describe('Values of the variables of the compose file, such as those of its .env.')

export const installCompose = command({
  name: 'installCompose',
  about:
    'Install the services of a compose file as apps that belong together, as a solution is installed. Official PostgreSQL and MySQL become managed services.',
  input: z.strictObject({ accountId, compose, variables, appName, region, installationId }),
  permission: 'solution:install',
  defaultWaitSeconds: 45,
  progress,
  async target(context, { compose: text, variables: given, ...place }): Promise<ComposeTarget> {
    const { solution, values, problems } = importCompose(text, given)
    if (!solution) throw invalidInput(problems)
    const wrong = readInputs(solution, values).problems
    if (wrong.length > 0)
      throw invalidInput(wrong.map(({ message }) => ({ field: 'compose', message: `a text ${message}` })))
    return { ...(await placeOf(context, place)), solution, values }
  },
  execute: (context, { compose: text, variables: given, ...place }, { values, ...target }) =>
    install(
      context,
      { ...place, identity: [COMPOSE_SLUG, text, Object.entries(given).sort()], inputs: values },
      target,
    ),
})

type ComposeTarget = InstallTarget & { solution: Solution; values: Record<string, string> }
