import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { relativePath } from '../../calls/input.ts'
import { invalidField, invalidInput } from '../../domain/errors.ts'
import type { ComposeFolder } from '../../solutions/compose/compose-build.ts'
import { COMPOSE_SLUG, importCompose } from '../../solutions/compose/import-compose.ts'
import { readInputs } from '../../solutions/input-values.ts'
import { gitInstallationId, gitNamespace, gitRepo } from '../app/app-input.ts'
import { branch } from '../app-env/setting-input.ts'
import { install, installationPlace, permitInstall, placeOf, progress } from './install.ts'
import { installed } from './solution-installation-fields.ts'

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

const composeDir = relativePath(
  'Folder of the repository in which the compose file lies, to which its `build` is relative. Default: the root.',
)

/** For services that are built; each app gets them as createApp and createAppEnv have them. */
const repository = {
  gitRepo: gitRepo
    .describe('Repository in which the compose file lies, for services with `build`: its name, or its https address.')
    .optional(),
  gitNamespace: gitNamespace.optional(),
  gitInstallationId: gitInstallationId.optional(),
  branch: branch.describe('Git branch that services with `build` are built from. Required with gitRepo.').optional(),
  composeDir: composeDir.optional(),
}

export const installCompose = command({
  name: 'installCompose',
  rest: { method: 'POST', path: '/solutions/compose', answer: installed },
  waits: true,
  about:
    'Install the services of a compose file as apps that belong together, as a solution is installed. Official PostgreSQL and MySQL become managed services; services with `build` are built from the repository that gitRepo names.',
  example: {
    request: {
      appName: 'Blog',
      region: 'local',
      variables: {},
      compose: 'services:\n  blog:\n    image: ghost:5\n    ports: ["80:2368"]\n',
    },
  },
  input: z.strictObject({ accountId, compose, variables, ...repository, appName, region, installationId }),
  permission: 'solution:install',
  defaultWaitSeconds: 45,
  progress,
  target: placeOf,
  execute(context, { compose: text, variables: given, ...others }, target) {
    permitInstall(context, target)
    const { gitRepo, gitNamespace, gitInstallationId, branch, composeDir, appName } = others
    const folder = folderOf({ gitRepo, gitNamespace, gitInstallationId, branch, composeDir })
    const { solution, values } = readSolutionIn(text, given, folder)
    const identity = [COMPOSE_SLUG, text, Object.entries(given).sort(), ...(folder ? [folder] : [])]
    return install(context, { appName, identity, inputs: values }, { ...target, solution })
  },
})

type Repository = z.output<z.ZodObject<typeof repository>>

function folderOf({ gitRepo, branch, composeDir = '', ...others }: Repository): ComposeFolder | null {
  if (!gitRepo) {
    const alone = Object.entries({ branch, composeDir, ...others }).filter(([, value]) => value)
    if (alone.length > 0) throw invalidInput(alone.map(([field]) => ({ field, message: 'is only with gitRepo' })))
    return null
  }
  if (!branch) throw invalidField('branch', 'is required with gitRepo')
  return { gitRepo, branch, path: composeDir, ...others }
}

/** Throws INVALID_INPUT with everything in the file that cannot be honoured. */
function readSolutionIn(text: string, given: Readonly<Record<string, string>>, folder: ComposeFolder | null) {
  const { solution, values, problems } = importCompose(text, given, folder)
  if (!solution) throw invalidInput(problems)
  const wrong = readInputs(solution, values).problems
  if (wrong.length > 0)
    throw invalidInput(wrong.map(({ message }) => ({ field: 'compose', message: `a text ${message}` })))
  return { solution, values }
}
