import { z } from 'zod'
import { invalidInput } from '../../domain/errors.ts'
import { COMPOSE_SLUG, importCompose } from '../../solutions/compose/import-compose.ts'
import { readInputs } from '../../solutions/input-values.ts'
import { command } from '../kernel/command.ts'
import { install, installationPlace, permitInstall, placeOf, progress } from './install.ts'

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
  target: placeOf,
  execute(context, { compose: text, variables: given, ...place }, target) {
    permitInstall(context, target)
    const { solution, values } = readSolutionIn(text, given)
    const identity = [COMPOSE_SLUG, text, Object.entries(given).sort()]
    return install(context, { ...place, identity, inputs: values }, { ...target, solution })
  },
})

/** Throws INVALID_INPUT with everything in the file that cannot be honoured. */
function readSolutionIn(text: string, given: Readonly<Record<string, string>>) {
  const { solution, values, problems } = importCompose(text, given)
  if (!solution) throw invalidInput(problems)
  const wrong = readInputs(solution, values).problems
  if (wrong.length > 0)
    throw invalidInput(wrong.map(({ message }) => ({ field: 'compose', message: `a text ${message}` })))
  return { solution, values }
}
