import type { AppType } from '../../app-types/app-type.ts'
import { appTypes, defaultAppType, getAppType } from '../../app-types/app-types.ts'
import { refusedFields } from '../../app-types/behaviours.ts'
import { type EngineInput, portProblems, settingProblems } from '../../app-types/engines/engine-problems.ts'
import { engineOfPreset, versionProblem } from '../../app-types/presets.ts'
import { foreignTypeConfigs } from '../../app-types/type-config.ts'
import { typeNamed } from '../../app-types/wire-names.ts'
import { type FieldProblem, invalidField, invalidInput } from '../../domain/errors.ts'
import { isHttpAddress } from '../../domain/repository-address.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { App } from '../../storage/database/generated/prisma/client.ts'
import { sentHealthCheck } from '../health-check/app-health-check.ts'
import type { CreateAppInput, UpdateAppInput } from './app-input.ts'
import { volumeProblems } from './app-volume.ts'

/** The preset of a new app: the named one, or the one that its historical type implies. */
export function presetOf({ dockerPreset, appType }: CreateAppInput): string {
  if (dockerPreset) return dockerPreset
  const { defaultPreset } = appType ? typeNamed(appType) : defaultAppType()
  if (defaultPreset === null) throw invalidField('dockerPreset', `is required with appType ${appType}`)
  return defaultPreset
}

/** What the fields of a new app require of each other; reports every problem at once. */
export function checkCreation(input: CreateAppInput): { preset: string } {
  const preset = presetOf(input)
  const type = typeNamed(preset)
  const problems = [
    ...sourceProblems(input),
    ...configProblems(type, input),
    ...sentHealthCheck(type, input, null).problems,
  ]
  if (input.appType && typeNamed(input.appType) !== type) {
    problems.push({ field: 'appType', message: `does not fit dockerPreset ${preset}` })
  }
  if (input.port === undefined && type.requiresPort) {
    problems.push({ field: 'port', message: `is required unless the app is a ${portlessTitles()}` })
  }
  if (input.useImage && !input.image) problems.push({ field: 'image', message: 'is required when useImage is true' })
  problems.push(...serviceProblems(preset, input), ...volumeProblems(input, { type: type.name, volumePath: null }))
  const wrongVersion = input.dockerPresetVersion ? versionProblem(preset, input.dockerPresetVersion) : null
  if (wrongVersion) problems.push({ field: 'dockerPresetVersion', message: wrongVersion })
  if (problems.length > 0) throw invalidInput(problems)
  return { preset }
}

const portlessTitles = () =>
  appTypes()
    // The preset of a managed service has its port.
    .filter(({ requiresPort, presets }) => !requiresPort && !presets.some(({ kind }) => kind === 'ENGINE'))
    .map(({ title }) => title)
    .join(' or ')

/** The same for a change, checked on the app as it would become. */
export function checkUpdate(input: UpdateAppInput, app: App): void {
  requireSameType(input.dockerPreset ?? app.dockerPreset, app)
  const usesImage = input.useImage ?? app.useImage
  // An app that runs images needs no source, so half a source must not keep it from switching to images.
  const problems = [
    ...sourceProblems(usesImage && !namesRepository(input) ? input : { ...gitOf(app), ...input }),
    ...configProblems(getAppType(app.type), input),
    ...sentHealthCheck(getAppType(app.type), input, app).problems,
  ]
  if (namesRepository(input) && app.isCliDeployment)
    problems.push({
      field: 'gitRepo',
      message: 'is for apps that are built from a repository; the source of this one is uploaded (isCliDeployment)',
    })
  // An app that builds from source would record an image and never run it.
  if (input.image !== undefined && !usesImage) {
    problems.push({ field: 'image', message: 'needs useImage true in the same request' })
  }
  const { dockerPresetVersion: version } = input
  const wrongVersion = version ? versionProblem(input.dockerPreset ?? app.dockerPreset, version) : null
  if (wrongVersion) problems.push({ field: 'dockerPresetVersion', message: wrongVersion })
  problems.push(...serviceProblems(input.dockerPreset ?? app.dockerPreset, input), ...volumeProblems(input, app))
  if (problems.length > 0) throw invalidInput(problems)
}

/**
 * Throws for a preset of another type, and for another managed service: data, credentials, addresses and backups are of
 * the one that the app was created with.
 */
function requireSameType(preset: string, app: App): void {
  if (preset === app.dockerPreset) return
  const isService = [preset, app.dockerPreset].some((name) => engineOfPreset(name) !== null)
  if (typeNamed(preset).name === app.type && !isService) return
  throw invalidField(
    'dockerPreset',
    `cannot change from ${app.dockerPreset} to ${preset}: an app keeps its type, and a managed service its preset. Create another app with dockerPreset ${preset}`,
  )
}

/** Older clients send the port of every app. */
function serviceProblems(preset: string, input: EngineInput & { port?: number | undefined }): FieldProblem[] {
  const engine = engineOfPreset(preset)
  if (!engine) return []
  return [...settingProblems(engine, input), ...portProblems(engine, input)]
}

const configProblems = (type: AppType, input: object): FieldProblem[] => [
  ...foreignTypeConfigs(type, input).map(({ field, title }) => ({ field, message: `is only for ${title} apps` })),
  ...refusedFields(type, input),
]

const GIT_FIELDS = ['gitNamespace', 'gitRepo', 'gitInstallationId'] as const

type Git = Partial<Record<'gitProvider' | (typeof GIT_FIELDS)[number], string | null>>

const gitOf = ({ gitProvider, gitNamespace, gitRepo, gitInstallationId }: App): Git => {
  return { gitProvider, gitNamespace, gitRepo, gitInstallationId }
}

const namesRepository = (git: Git): boolean => GIT_FIELDS.some((field) => git[field] !== undefined)

function sourceProblems(
  input: Pick<UpdateAppInput, 'dockerfilePath' | 'customDockerfileContent'> & Git,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (input.dockerfilePath && input.customDockerfileContent) {
    problems.push({ field: 'dockerfilePath', message: 'is mutually exclusive with customDockerfileContent' })
  }
  // The address of a public repository needs no permission.
  if (isHttpAddress(input.gitRepo ?? '')) return problems
  // GitHub is the only provider, so any one of the fields stands for it (§2.1).
  const isFromGitHub = [input.gitProvider, ...GIT_FIELDS.map((field) => input[field])].some((value) => value != null)
  const missing = isFromGitHub ? GIT_FIELDS.filter((field) => !input[field]) : []
  return [...problems, ...missing.map((field) => ({ field, message: 'is required for deployments from GitHub' }))]
}

/** A reference to a credential must name one of the same account; empty clears and undefined leaves alone. */
export async function requireCredential(
  tx: Transaction,
  accountId: string,
  field: string,
  credentialId: string | undefined,
) {
  if (!credentialId) return
  const credential = await tx.credential.findFirst({ where: { id: credentialId, accountId } })
  if (credential?.type === 'CONTAINER_REGISTRY') return
  throw invalidField(
    field,
    credential ? 'must be a CONTAINER_REGISTRY credential' : 'names no credential of this account',
  )
}
