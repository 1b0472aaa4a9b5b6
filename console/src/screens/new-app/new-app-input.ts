import { parseDotenv } from '../../../../text/dotenv.ts'
import { looksSecret } from '../../environment/looks-secret.ts'
import type { VariablesOf } from '../../graphql/graphql.ts'
import type { Refusal } from '../../graphql/refusal.ts'
import type { CreateApp } from './documents.ts'

export const SOURCES = ['image', 'git', 'upload', 'service'] as const
export type Source = (typeof SOURCES)[number]

/** What was typed, by the names that the API has for it. */
export type Fields = Readonly<Record<string, string>>

export type AppInput = Omit<VariablesOf<typeof CreateApp>['input'], 'idempotencyKey'>
type EnvInput = NonNullable<AppInput['appEnv']>
type Preset = NonNullable<AppInput['dockerPreset']>

/** The presets that build a source, in words; those of databases are listed by the API. */
export const BUILD_PRESETS: Readonly<Partial<Record<Preset, string>>> = {
  CUSTOM: 'Its Dockerfile',
  NEXT_JS: 'Next.js',
  REMIX: 'Remix',
  VITE: 'Vite',
  VUE_JS: 'Vue.js',
  ANGULAR: 'Angular',
  EXPRESS: 'Express',
  NODE_JS_INSTALL_START: 'Node.js: install, start',
  NODE_JS_INSTALL_BUILD_START: 'Node.js: install, build, start',
  METEOR_JS: 'Meteor',
  PYTHON: 'Python',
  GO: 'Go',
  STATIC: 'Static files',
}

const SHARED: Fields = { 'appEnv.name': 'production', 'appEnv.zClouds': '1' }

export const DEFAULTS: Readonly<Record<Source, Fields>> = {
  image: { ...SHARED, image: '', name: '', port: '3000', dockerPreset: 'CUSTOM' },
  git: { ...SHARED, gitRepo: '', 'appEnv.branch': '', name: '', port: '3000', dockerPreset: '' },
  upload: { ...SHARED, name: '', port: '3000', dockerPreset: '' },
  service: { ...SHARED, name: '', dockerPreset: 'POSTGRESQL', 'appEnv.dockerPresetVersion': '', 'appEnv.disk': '' },
}

export const takesNoPort = ({ dockerPreset }: Fields): boolean => dockerPreset === 'JOB'

/** A repository that a git installation of the account reaches. */
export interface Repository {
  gitInstallationId: string
  gitNamespace: string
  gitRepo: string
}

const SHORT = /^([\w.-]+)\/([\w.-]+)$/

/** `acme/shop` as the installation’s repository of that name, else as that of GitHub; an address as it is. */
export function repositoryOf(written: string, own: readonly Repository[]) {
  const text = written.trim()
  const [, gitNamespace, gitRepo] = SHORT.exec(text) ?? []
  const found = own.find((each) => each.gitNamespace === gitNamespace && each.gitRepo === gitRepo)
  if (found) {
    const { gitInstallationId } = found
    return { gitInstallationId, gitNamespace: found.gitNamespace, gitRepo: found.gitRepo }
  }
  return { gitRepo: gitRepo ? `https://github.com/${text}` : text }
}

/** A name for the app, of what it is made from. */
export function suggestedName(from: string): string {
  const path = from
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/@sha256:.*$/, '')
    .replace(/\/+$/, '')
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last.replace(/:.*$/, '').replace(/\.git$/, '')
}

interface Around {
  accountId: string
  repositories: readonly Repository[]
  /** Text of a `.env` file. */
  variables: string
}

/** What `createApp` takes. Empty fields are left out, so that the API says which are required. */
export function appInputOf(source: Source, fields: Fields, { accountId, repositories, variables }: Around): AppInput {
  const isPrebuilt = source === 'image'
  return {
    accountId,
    name: fields.name ?? '',
    ...whole('port', takesNoPort(fields) || source === 'service' ? '' : fields.port),
    ...given('dockerPreset', fields.dockerPreset as Preset | undefined),
    ...(isPrebuilt ? { useImage: true, image: fields.image ?? '' } : {}),
    ...(source === 'git' ? gitOf(fields, repositories) : {}),
    ...(source === 'upload' ? { isCliDeployment: true } : {}),
    ...given('imagePullAccountSecretId', fields.imagePullAccountSecretId),
    ...given('healthCheckPath', fields.healthCheckPath),
    appEnv: envInputOf(fields, variables),
  }
}

function gitOf(fields: Fields, repositories: readonly Repository[]) {
  const repository = repositoryOf(fields.gitRepo ?? '', repositories)
  return 'gitInstallationId' in repository ? { gitProvider: 'GITHUB' as const, ...repository } : repository
}

function envInputOf(fields: Fields, variables: string): EnvInput {
  const areAllSecret = fields.secret === 'true'
  const envVars = parseDotenv(variables).entries.map(({ name, value }) => ({
    name,
    value,
    isSecret: areAllSecret || looksSecret(name, value),
  }))
  return {
    name: fields['appEnv.name'] ?? '',
    ...given('branch', fields['appEnv.branch']?.trim()),
    ...given('region', fields['appEnv.region']),
    ...given('dockerPresetVersion', fields['appEnv.dockerPresetVersion']),
    ...whole('zClouds', fields['appEnv.zClouds']),
    ...whole('disk', fields['appEnv.disk']),
    ...(envVars.length > 0 ? { envVars } : {}),
  }
}

const given = <Name extends string, Value extends string>(name: Name, value: Value | undefined) =>
  (value ? { [name]: value } : {}) as Partial<Record<Name, Value>>

const whole = <Name extends string>(name: Name, value: string | undefined) =>
  (value && Number.isFinite(Number(value)) ? { [name]: Number(value) } : {}) as Partial<Record<Name, number>>

/** Whether there is enough to ask the API about. */
export function isAskable(source: Source, { name, image, gitRepo }: Fields): boolean {
  return (
    Boolean(name?.trim()) &&
    (source !== 'image' || Boolean(image?.trim())) &&
    (source !== 'git' || Boolean(gitRepo?.trim()))
  )
}

/** Problems of single variables at the field that has them all, with their lines. */
export function atFields(refusal: Refusal | null, variables: string): Refusal | null {
  if (!refusal) return null
  const { entries } = parseDotenv(variables)
  const fields: Record<string, string> = {}
  for (const [name, message] of Object.entries(refusal.fields)) {
    const [, at] = /^appEnv\.envVars\.(\d+)\./.exec(name) ?? []
    if (at === undefined) fields[shownAt(name)] = message
    else {
      const line = `Line ${entries[Number(at)]?.line ?? '?'} ${message}.`
      fields['appEnv.envVars'] = [fields['appEnv.envVars'], line].filter(Boolean).join(' ')
    }
  }
  return { ...refusal, fields }
}

/** Of a repository, one field has all parts. */
const shownAt = (name: string): string => (/^git(?:Namespace|InstallationId|Provider)$/.test(name) ? 'gitRepo' : name)

/** What only the browser checks: the file’s own grammar. */
export function variablesProblem(variables: string): string | null {
  const [first] = parseDotenv(variables).problems
  return first ? `Line ${first.line} ${first.message}.` : null
}
