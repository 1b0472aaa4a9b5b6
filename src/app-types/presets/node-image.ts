import {
  buildCommand,
  cacheMount,
  installLines,
  requirePackage,
  startCommand,
  startedManagerLines,
  variableLines,
} from './node-package.ts'
import { packageManagerOf } from './package-manager.ts'
import type { DockerfileRequest } from './preset.ts'

export const NODE_VERSIONS = ['NODE_JS_18', 'NODE_JS_20', 'NODE_JS_22', 'NODE_JS_24'] as const
export const DEFAULT_NODE_VERSION = 'NODE_JS_22'

/** Images of Node.js 14 ended before bookworm existed. */
const tagOf = (version: string): string => {
  const major = version.replace(/^NODE_JS_/, '')
  return `${major}-${major === '14' ? 'bullseye' : 'bookworm'}`
}

/**
 * Base images are arguments, so that an installation behind a mirror, or without any registry, can name its own. Debian
 * rather than Alpine: prebuilt native modules are linked to its C library.
 */
export const nodeBase = (version: string): string => `ARG NODE_IMAGE=node:${tagOf(version)}-slim`

/** Modules that are compiled, or fetched with git, need packages that the slim image lacks. None of them stay. */
export const nodeBuildBase = (version: string): string => `ARG NODE_BUILD_IMAGE=node:${tagOf(version)}`

export const FROM_NODE = 'FROM $NODE_IMAGE'
export const FROM_NODE_BUILD = 'FROM $NODE_BUILD_IMAGE'

/** The exec form needs no shell, so signals reach the program. */
export const exec = (command: readonly string[]): string => `CMD ${JSON.stringify(command)}`

export const dockerfileOf = (...parts: readonly (readonly string[])[]): string =>
  `${parts.map((part) => part.join('\n')).join('\n\n')}\n`

/** For programs that need no build: no development dependencies are installed. */
export function nodeProgram(request: DockerfileRequest): string {
  const facts = requirePackage(request)
  const copies = facts.installsFromSource
    ? ['COPY --from=dependencies /app ./']
    : ['COPY --from=dependencies /app/node_modules ./node_modules', 'COPY . .']
  return dockerfileOf(
    [nodeBuildBase(request.version), nodeBase(request.version)],
    productionDependencies(request),
    nodeStage([...copies, ...startedManagerLines(facts)], startCommand(facts, { isBuilt: false })),
  )
}

interface BuiltProgram {
  start?: readonly string[]
  /** The folder of the build's output that the program also writes to at run time. */
  writes?: string
}

/**
 * Builds with all dependencies, and runs with the production ones. These are installed in a separate stage if possible:
 * its layer then stays the same from one version to the next.
 */
export function builtNodeProgram(request: DockerfileRequest, { start, writes }: BuiltProgram = {}): string {
  const facts = requirePackage(request)
  const { prune } = packageManagerOf(request.facts)
  const { installsFromSource } = facts
  const afterwards = [
    ...(writes ? [`rm -rf ${writes}/cache`, `mkdir -p ${writes}`, `mv ${writes} /writes`] : []),
    installsFromSource ? prune : 'rm -rf node_modules',
  ]
  const copies = [
    'COPY --from=build /app ./',
    ...(installsFromSource ? [] : ['COPY --from=dependencies /app/node_modules ./node_modules']),
    ...(writes ? [`COPY --from=build --chown=node:node /writes ./${writes}`] : []),
  ]
  return dockerfileOf(
    [nodeBuildBase(request.version), nodeBase(request.version)],
    buildStage(request, afterwards),
    ...(installsFromSource ? [] : [productionDependencies(request)]),
    start
      ? nodeStage(copies, start)
      : nodeStage([...copies, ...startedManagerLines(facts)], startCommand(facts, { isBuilt: true })),
  )
}

/** Installs everything, copies the source, and runs its script "build". */
export function buildStage(request: DockerfileRequest, afterwards: readonly string[] = []): string[] {
  const { name, cache } = packageManagerOf(request.facts)
  const isCopied = requirePackage(request).installsFromSource
  return [
    `${FROM_NODE_BUILD} AS build`,
    'WORKDIR /app',
    ...installLines(request),
    ...(isCopied ? [] : ['COPY . .']),
    ...variableLines(request),
    `RUN ${cacheMount(request, name, cache)}${[buildCommand(request), ...afterwards].join(' && ')}`,
  ]
}

const productionDependencies = (request: DockerfileRequest): string[] => [
  `${FROM_NODE_BUILD} AS dependencies`,
  'WORKDIR /app',
  ...installLines(request, { forProduction: true }),
]

/** The final stage. Root owns the program's files and it runs as another user, so it cannot change itself. */
export const nodeStage = (copies: readonly string[], command: readonly string[], variables = ''): string[] => [
  FROM_NODE,
  `ENV NODE_ENV=production${variables}`,
  'WORKDIR /app',
  ...copies,
  'USER node',
  exec(command),
]
