import { z } from 'zod'
import { containerSettings } from '../app-types/container-settings.ts'
import { typeConfigInputs } from '../app-types/type-config.ts'
import { typeNamed } from '../app-types/wire-names.ts'
import { isVariableName, VARIABLE_NAME_RULE } from '../domain/variable-name.ts'
import { graphProblems } from './graph.ts'
import { templateProblems } from './template.ts'

/** Fields in which solutions are of use. */
const CATEGORIES = [
  'AUTOMATION',
  'CONTENT',
  'COLLABORATION',
  'DEVELOPMENT',
  'MONITORING',
  'ANALYTICS',
  'MESSAGING',
  'SECURITY',
  'SEARCH',
] as const

/** What a solution is: a file of catalogue/ declares one, and this schema says what it may hold. */

export const INPUT_TYPES = ['STRING', 'NUMBER', 'BOOLEAN', 'EMAIL'] as const

const about = z.string().min(1).max(500)

const input = z
  .strictObject({
    name: z.string().regex(/^[a-z][A-Za-z0-9]{0,39}$/),
    label: about,
    type: z.enum(INPUT_TYPES),
    required: z.boolean().default(false),
    secret: z.boolean().default(false),
    /** The whole value has to match. `patternRule` says the same in words. */
    pattern: z.string().optional(),
    patternRule: about.optional(),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    /** Characters of a random value, when none is given. */
    generated: z.int().min(16).max(128).optional(),
  })
  .refine(({ pattern, patternRule }) => (pattern === undefined) === (patternRule === undefined), {
    error: 'pattern and patternRule belong together',
  })
  .refine((one) => !(one.secret && one.default !== undefined), {
    error: 'a secret has no default, which would be public',
  })
  .refine((one) => !(one.required && (one.default !== undefined || one.generated !== undefined)), {
    error: 'a required input has neither a default nor a generated value',
  })

/** The key is part of host names: `<app>-<key>` must fit a slug of 20 characters. */
const key = z.string().regex(/^[a-z][a-z0-9]{0,9}$/)

/** What compose files call services: a host name that may have underscores. */
const networkAlias = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/, 'must be letters, digits, dots, dashes and underscores')

/** A tag that never moves to another major version; `latest` would install something else every month. */
const PINNED = /^[a-z0-9./_-]+:(?!latest$)(?=[^:]*[0-9])[A-Za-z0-9._-]+$/

export const IMAGE = /^[a-z0-9][\w./:@-]{0,254}$/

const image = z.string().regex(IMAGE, 'must be an image')

const timing = {
  initialDelaySeconds: z.int().min(0).max(3600).optional(),
  periodSeconds: z.int().min(1).max(3600).optional(),
  timeoutSeconds: z.int().min(1).max(60).optional(),
  failureThreshold: z.int().min(1).max(100).optional(),
}
const command = z.array(z.string().max(4096)).min(1).max(100)

export type ContainerSettings = z.output<typeof containerSettings>

/** The settings, or what is wrong in them, each by the name of its field. */
export function readContainerSettings(written: { readonly [Field in keyof ContainerSettings]?: unknown }) {
  const { data = {}, error } = containerSettings.safeParse(written)
  const problems = (error?.issues ?? []).map(({ path: [field], message }) => ({
    field: field as keyof ContainerSettings,
    message,
  }))
  return { settings: data, problems }
}

/** In place of an image: a repository, and how its folder is built. Fields of apps and environments of these names. */
const build = z.strictObject({
  gitRepo: z.string().min(1),
  gitNamespace: z.string().optional(),
  gitInstallationId: z.string().optional(),
  branch: z.string().min(1),
  contextDir: z.string().min(1),
  dockerfilePath: z.string().optional(),
  customDockerfileContent: z.string().optional(),
  buildArgs: z.string().optional(),
  buildTarget: z.string().optional(),
})

export type ComponentBuild = z.output<typeof build>

const component = z.strictObject({
  key,
  name: about,
  /** Its app has the name that the caller chose, without the key. */
  isMain: z.boolean().default(false),
  dockerPreset: z.string().min(1),
  dockerPresetVersion: z.string().optional(),
  image: image.optional(),
  build: build.optional(),
  port: z.int().min(1).max(65_535).optional(),
  zClouds: z.literal([1, 2, 4, 8]).default(1),
  containers: z.int().min(1).max(10).default(1),
  /** CPU and memory of one container, in place of zClouds. */
  size: z.strictObject({ cpu: z.number().positive(), memoryMb: z.int().positive() }).optional(),
  /** MB, of a managed service. */
  disk: z.int().positive().optional(),
  volume: z.strictObject({ path: z.string().startsWith('/'), disk: z.int().positive() }).optional(),
  healthCheckPath: z.string().startsWith('/').optional(),
  /** In place of the path: a worker, in which nothing listens, or a command that says whether it is ready. */
  healthCheck: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('NONE'), initialDelaySeconds: timing.initialDelaySeconds }),
      z.strictObject({ type: z.literal('COMMAND'), command, ...timing }),
    ])
    .optional(),
  /** Of a worker whose readiness a command knows. */
  readiness: z.strictObject({ type: z.literal('COMMAND'), command, ...timing }).optional(),
  /** Without a command, args are those of the image’s own entry point. */
  startupConfig: z
    .strictObject({
      command: z.string().nullable(),
      args: z.array(z.string()).default([]),
      workingDir: z.string().startsWith('/').optional(),
    })
    .optional(),
  containerSettings: containerSettings.optional(),
  /**
   * Names by which the other components reach it. Set, also without a name: it joins the network of the installation,
   * which only components that are on it reach.
   */
  networkAliases: z.array(networkAlias).max(20).optional(),
  ...typeConfigInputs(),
  /** By name. Values are templates: see template.ts. */
  variables: z.record(z.string().refine(isVariableName, VARIABLE_NAME_RULE), z.string()).default({}),
  dependsOn: z.array(key).default([]),
})

const smokeTest = z.strictObject({
  component: key,
  path: z.string().startsWith('/'),
  status: z.int().min(200).max(499),
  /** Text that the answer contains. */
  contains: z.string().optional(),
})

const solutionSchema = z
  .strictObject({
    slug: z.string().regex(/^[a-z][a-z0-9-]{1,39}$/),
    name: about,
    description: about,
    category: z.enum(CATEGORIES),
    /** Grows with every change of what is installed. */
    revision: z.int().positive(),
    /** Account entitlement SANDBOX, and a region whose sandbox add-on and public gateway are ready. */
    requiresSandbox: z.boolean().default(false),
    inputs: z.array(input).default([]),
    components: z.array(component).min(1).max(10),
    /** Asked of an installation before it counts as installed. A compose file has none. */
    smokeTest: smokeTest.optional(),
    /** What has to be done by hand, with templates. Never a secret. */
    postInstallNote: z.string().max(2000).optional(),
    /** What a compose file says and Berth does not need, by its place. */
    noEffect: z.array(z.string()).optional(),
  })
  .superRefine((solution, context) => {
    const problems = [
      ...componentProblems(solution),
      ...graphProblems(solution.components),
      ...templateProblems(solution),
    ]
    for (const message of problems) context.addIssue({ code: 'custom', message })
  })

export type SolutionSource = z.input<typeof solutionSchema>
export type Solution = z.output<typeof solutionSchema>
/** A file of the catalogue has a smoke test. */
type CatalogueSource = SolutionSource & { smokeTest: NonNullable<SolutionSource['smokeTest']> }
export type SolutionInput = Solution['inputs'][number]
export type Component = Solution['components'][number]

/** A checked solution, or every rule that it breaks. */
export function readSolution(source: SolutionSource): { solution: Solution | null; messages: string[] } {
  const read = solutionSchema.safeParse(source)
  if (read.success) return { solution: read.data, messages: [] }
  return { solution: null, messages: z.prettifyError(read.error).split('\n') }
}

/** One of the catalogue. Throws for a file that breaks a rule, with every rule that it breaks. */
export function defineSolution(source: CatalogueSource): Solution {
  const { solution, messages } = readSolution(source)
  const unpinned = source.components.flatMap((one) =>
    one.image === undefined || PINNED.test(one.image)
      ? []
      : [`${one.key}: ${one.image} must be an image with a tag that names a version`],
  )
  if (solution && unpinned.length === 0) return solution
  throw new Error(`The solution ${source.slug} is wrong:\n${[...messages, ...unpinned].join('\n')}`)
}

interface Parts {
  inputs: readonly { name: string }[]
  components: readonly Component[]
  smokeTest?: { component: string } | undefined
}

function componentProblems({ inputs, components, smokeTest }: Parts): string[] {
  const keys = components.map((one) => one.key)
  const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index)
  return [
    ...twice(keys).map((name) => `the component ${name} is there twice`),
    ...[...new Set(twice(components.flatMap((one) => one.networkAliases ?? [])))].map(
      (name) => `the network alias ${name} is there twice`,
    ),
    ...twice(inputs.map(({ name }) => name)).map((name) => `the input ${name} is there twice`),
    ...(components.filter(({ isMain }) => isMain).length === 1 ? [] : ['exactly one component is the main one']),
    ...(!smokeTest || keys.includes(smokeTest.component)
      ? []
      : [`smokeTest names no component: ${smokeTest.component}`]),
    ...components.flatMap(presetProblems),
  ]
}

function presetProblems({ key, dockerPreset, image, build, dependsOn }: Component): string[] {
  const preset = presetOf(dockerPreset)
  if (!preset) return [`${key}: there is no preset ${dockerPreset}`]
  if (preset.kind === 'ENGINE') {
    // It is deployed as soon as it exists, before anything else is.
    return [
      ...(image === undefined && build === undefined ? [] : [`${key}: the preset decides the image`]),
      ...(dependsOn.length === 0 ? [] : [`${key}: a managed service depends on nothing`]),
    ]
  }
  return (image === undefined) === (build === undefined) ? [`${key}: either image or build is required`] : []
}

const presetOf = (name: string) => {
  try {
    return typeNamed(name).presets.find((preset) => preset.name === name)
  } catch {
    return undefined
  }
}
