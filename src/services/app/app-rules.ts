import type { AppType, AppTypeName } from '../../app-types/app-type.ts'
import { findAppType } from '../../app-types/app-types.ts'
import { findBuildPreset, presetVersion } from '../../app-types/presets/build-presets.ts'
import { isVersionOf, presetType } from '../../app-types/presets.ts'
import type { App } from '../../database/generated/prisma/client.ts'
import { conflict, type FieldProblem, invalidInput } from '../../domain/errors.ts'
import type { CreateAppInput, UpdateAppInput } from './app-input.ts'

const TYPE_OF_HISTORICAL_NAME: Record<NonNullable<CreateAppInput['appType']>, AppTypeName> = {
  app: 'APP',
  db: 'SERVICE',
  function: 'FUNCTION',
  job: 'JOB',
}

/** The preset an app is created with: the one that was named, or the one that its historical type implies. */
export function presetOf({ dockerPreset, appType }: CreateAppInput): string {
  if (dockerPreset) return dockerPreset
  if (appType === 'function') return 'FUNCTION'
  if (appType === 'job') return 'JOB'
  if (appType === 'db') throw invalidInput([{ field: 'dockerPreset', message: 'is required with appType db' }])
  return 'CUSTOM'
}

/** Throws a CONFLICT for a type that the interface names and this version does not run. */
export function typeOfPreset(preset: string): AppType {
  const name = presetType(preset) ?? 'APP'
  const type = findAppType(name)
  if (!type)
    throw conflict(
      'APP_TYPE_NOT_AVAILABLE',
      `${preset} belongs to Databases & Services, which this version does not run yet`,
    )
  return type
}

/** What the fields of a creation demand of each other; every problem at once. */
export function checkCreation(input: CreateAppInput): { preset: string } {
  const preset = presetOf(input)
  const typeName = presetType(preset) ?? 'APP'
  const problems = [...sourceProblems(input), ...configProblems(input, typeName)]
  if (input.appType && TYPE_OF_HISTORICAL_NAME[input.appType] !== typeName) {
    problems.push({ field: 'appType', message: `does not fit dockerPreset ${preset}` })
  }
  if (input.port === undefined && typeName !== 'JOB' && typeName !== 'SERVICE') {
    problems.push({ field: 'port', message: 'is required unless the app is a Job' })
  }
  if (input.useImage && !input.image) problems.push({ field: 'image', message: 'is required when useImage is true' })
  const versionProblem = input.dockerPresetVersion ? versionProblemOf(preset, input.dockerPresetVersion) : null
  if (versionProblem) problems.push({ field: 'dockerPresetVersion', message: versionProblem })
  if (problems.length > 0) throw invalidInput(problems)
  return { preset }
}

function versionProblemOf(name: string, version: string): string | null {
  const preset = findBuildPreset(name)
  if (!preset) return isVersionOf(name, version) ? null : `must be ${name}_<VERSION>, such as ${name}_22`
  if (presetVersion(preset, name, version) !== null) return null
  return `must be one of ${preset.versions.map((known) => `${name}_${known}`).join(', ')}`
}

/** The same of a change: what counts is the app as it would be. */
export function checkUpdate(input: UpdateAppInput, app: App): void {
  const usesImage = input.useImage ?? app.useImage
  // Where an image runs, no source is missing: an app that names half of one must stay able to turn to images.
  const problems = [
    ...sourceProblems(usesImage ? input : { ...gitOf(app), ...input }),
    ...configProblems(input, app.type),
  ]
  // An image on an app that builds from source would be recorded and never run.
  if (input.image !== undefined && !usesImage) {
    problems.push({ field: 'image', message: 'needs useImage true in the same request' })
  }
  if (problems.length > 0) throw invalidInput(problems)
}

const GIT_FIELDS = ['gitNamespace', 'gitRepo', 'gitInstallationId'] as const

type Git = Partial<Record<'gitProvider' | (typeof GIT_FIELDS)[number], string | null>>

const gitOf = ({ gitProvider, gitNamespace, gitRepo, gitInstallationId }: App): Git => {
  return { gitProvider, gitNamespace, gitRepo, gitInstallationId }
}

function sourceProblems(
  input: Pick<UpdateAppInput, 'dockerfilePath' | 'customDockerfileContent'> & Git,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (input.dockerfilePath && input.customDockerfileContent) {
    problems.push({ field: 'dockerfilePath', message: 'is mutually exclusive with customDockerfileContent' })
  }
  // The address of a public repository needs nobody's permission.
  if (/^https?:\/\//.test(input.gitRepo ?? '')) return problems
  // GitHub is the only provider, so that any one of the fields stands for it (§2.1).
  const isFromGitHub = [input.gitProvider, ...GIT_FIELDS.map((field) => input[field])].some((value) => value != null)
  const missing = isFromGitHub ? GIT_FIELDS.filter((field) => !input[field]) : []
  return [...problems, ...missing.map((field) => ({ field, message: 'is required for deployments from GitHub' }))]
}

function configProblems(
  input: { jobConfig?: unknown; functionConfig?: unknown },
  typeName: AppTypeName,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const own = findAppType(typeName)?.config?.field
  for (const field of ['jobConfig', 'functionConfig'] as const) {
    if (input[field] !== undefined && own !== field) {
      problems.push({ field, message: `is only for ${field === 'jobConfig' ? 'Job' : 'Function'} apps` })
    }
  }
  return problems
}
