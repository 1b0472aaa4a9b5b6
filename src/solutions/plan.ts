import { engineOfPreset } from '../app-types/presets.ts'
import { typeConfigFields, typeConfigIn } from '../app-types/type-config.ts'
import { cliEnvNameOf, slugOf } from '../domain/names.ts'
import { withoutTrailing } from '../domain/without-trailing.ts'
import { inDependencyOrder } from './graph.ts'
import type { Component, Solution } from './solution.ts'
import { fillTemplate, templatesIn } from './template.ts'

const MAX_SLUG_LENGTH = 20

/** The one environment of each component. */
export const ENVIRONMENT_NAME = 'production'

export type InputValues = Readonly<Record<string, string>>

/** CLI names of the environments, by component. */
export type EnvNames = Readonly<Record<string, string>>

interface Place {
  accountId: string
  appName: string
  region: string
}

/** What createApp and createAppEnv are called with for one component, apart from ids that are not there yet. */
export interface ComponentPlan {
  key: string
  dependsOn: readonly string[]
  /** Null for a managed service, whose preset decides. */
  image: string | null
  app: Record<string, unknown> & { name: string; dockerPreset: string }
  appEnv: Record<string, unknown> & { name: string; region: string }
  variables: { name: string; value: string; isSecret: boolean }[]
}

/** Everything that an installation creates, dependencies first. Names are those that are free in an empty account. */
export function planSolution(
  solution: Solution,
  values: InputValues,
  place: Place & { accountSlug: string },
): ComponentPlan[] {
  const names = Object.fromEntries(
    solution.components.map((component) => {
      const app = slugOf(appNameOf(component, place.appName))
      return [component.key, cliEnvNameOf(place.accountSlug, app, ENVIRONMENT_NAME)]
    }),
  )
  return inDependencyOrder(solution.components).map((component) => ({
    ...planComponent(component, place),
    variables: variablesOf(solution, component, values, names),
  }))
}

/** `Blog` and `blog-db`: predictable, and different also when the name is cut. */
export function appNameOf({ key, isMain }: Component, appName: string): string {
  if (isMain) return appName
  const suffix = `-${key}`
  return withoutTrailing(slugOf(appName).slice(0, MAX_SLUG_LENGTH - suffix.length), '-') + suffix
}

/** Without its variables: those may refer to environments that do not exist yet. */
export function planComponent(
  component: Component,
  { accountId, appName, region }: Place,
): Omit<ComponentPlan, 'variables'> {
  const { key, dependsOn, image, build, port, startupConfig, volume, disk, size } = component
  const { branch, ...source } = build ?? {}
  const { dockerPreset, dockerPresetVersion, healthCheckPath, healthCheck, readiness, containerSettings } = component
  const isService = engineOfPreset(dockerPreset) !== null
  const app = {
    name: appNameOf(component, appName),
    accountId,
    dockerPreset,
    ...given({ dockerPresetVersion, port, healthCheckPath, healthCheck }),
    ...(isService ? {} : build ? given(source) : { useImage: true, image }),
    ...typeConfigOf(component, { isChangedWithApp: true }),
  }
  const appEnv = {
    accountId,
    name: ENVIRONMENT_NAME,
    region,
    containers: component.containers,
    ...given({ branch, volume, disk, containerSettings }),
    ...given({ zClouds: size ? undefined : component.zClouds, cpu: size?.cpu, memory: size?.memoryMb }),
    ...typeConfigOf(component, { isChangedWithApp: false }),
    ...(startupConfig ? { startupConfig: startupConfigOf(component) } : {}),
    ...(readiness ? { healthCheck: { readiness } } : {}),
  }
  return { key, dependsOn, image: image ?? null, app, appEnv }
}

/** The program itself, without a shell: its signals arrive. */
export const startupConfigOf = ({ startupConfig }: Component) =>
  startupConfig ? { ...startupConfig, shell: false, workingDir: startupConfig.workingDir ?? null } : null

/** The configuration of the component's type, where it is sent with its app, or with its environment. */
const typeConfigOf = (component: Component, { isChangedWithApp }: { isChangedWithApp: boolean }) => {
  const sent = typeConfigIn(component) ?? {}
  const fields = typeConfigFields().filter((config) => config.isChangedWithApp === isChangedWithApp)
  return given(Object.fromEntries(fields.map(({ field }) => [field, sent[field]])))
}

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Variables of one component: inputs are filled in, addresses and credentials stay references. */
export function variablesOf(
  { inputs }: Pick<Solution, 'inputs'>,
  { variables }: Component,
  values: InputValues,
  names: EnvNames,
): ComponentPlan['variables'] {
  const secrets = new Set(inputs.filter(({ secret }) => secret).map(({ name }) => name))
  return Object.entries(variables).flatMap(([name, template]) => {
    const found = templatesIn(template)
    // An optional input that was left out leaves out what it is for.
    if (found.some((one) => one.kind === 'input' && values[one.name] === undefined)) return []
    const value = fillTemplate(template, {
      // What a person has typed is text, whatever it looks like.
      input: (input) => (values[input] ?? '').split('${').join('$${'),
      part: (component, part) => `\${${names[component]}.${part}}`,
    })
    return [{ name, value, isSecret: found.some((one) => one.kind === 'input' && secrets.has(one.name)) }]
  })
}

/** The note that comes with an installation, with the addresses of its components. */
export const noteOf = (
  { postInstallNote }: Pick<Solution, 'postInstallNote'>,
  values: InputValues,
  addressOf: (key: string) => string,
): string | undefined =>
  postInstallNote === undefined
    ? undefined
    : fillTemplate(postInstallNote, { input: (name) => values[name] ?? '', part: addressOf })
