import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, time, VERSION, whole } from '../../calls/field.ts'
import { answer, resource } from '../../calls/resource.ts'
import type { GitHook } from '../../storage/database/generated/prisma/client.ts'

/** Where git hosts send to, below the address of the API. */
export const GIT_HOOK_PATH = '/hooks/git'

export const gitHookProvider = enumeration(
  'GitHookProvider',
  'Kind of a git host, which decides how its deliveries are authenticated.',
  {
    GITHUB: 'GitHub signs deliveries with the secret (X-Hub-Signature-256).',
    GITLAB: 'GitLab signs them (webhook-signature), or sends the secret (X-Gitlab-Token).',
    GITEA: 'Gitea or Forgejo signs them with the secret (X-Gitea-Signature, X-Forgejo-Signature, X-Hub-Signature-256).',
  },
)

const field = fieldsOf<GitHook>()

export const gitHook = resource({
  name: 'GitHook',
  id: 'GitHook',
  description:
    'Receives the pushes of a git host for an account. Pushes deploy environments with auto-deploy. Its secret is never shown.',
  examples: {
    name: 'Repositories of the shop',
    path: `/hooks/git?hook=${exampleId('ghook')}`,
    gitHookId: exampleId('ghook'),
    statusApiUrl: null,
    statusError: null,
  },
  fields: {
    gitHookId: field.column('id', text, 'Id of the git hook.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account whose environments are deployed.'),
    appId: field.column(
      'appId',
      text.nullable(),
      'Id of the only app whose environments are deployed; null for all apps of the account.',
    ),
    provider: field.column('provider', gitHookProvider.type, 'Kind of the git host.'),
    name: field.column('name', text, 'Name of the git hook.'),
    path: field.from(
      { id: true },
      text,
      'Path of the URL for the git host, below the address of the API.',
      ({ id }: Pick<GitHook, 'id'>) => `${GIT_HOOK_PATH}?hook=${id}`,
    ),
    statusApiUrl: field.column(
      'statusApiUrl',
      text.nullable(),
      'Address of the git host’s API, where commits that are deployed get a status; null: they get none.',
    ),
    statusError: field.column(
      'statusError',
      text.nullable(),
      'Why the git host did not take the last status; null after a success.',
    ),
    formerSecretUntil: field.column(
      'formerSecretUntil',
      time.nullable(),
      'Time until which the former secret proves deliveries, too; null while there is none.',
    ),
    createdAt: field.column('createdAt', time, 'Time at which the git hook was created.'),
    updatedAt: field.column('updatedAt', time, 'Time at which the git hook was last changed.'),
  },
  graphqlFields: { version: field.column('version', whole, VERSION) },
})

/** What only the answers to createGitHook and rotateGitHookSecret show. */
export const gitHookSecret = fieldsOf<{ secret: string }>().given(
  'secret',
  text,
  'Secret to give the git host, `whsec_…`. No other answer shows it.',
  { inGraphQL: { isResolvedThere: true } },
)

export const createdGitHook = answer({ ...gitHook.fields, secret: gitHookSecret })
