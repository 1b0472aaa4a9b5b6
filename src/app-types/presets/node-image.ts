import { installLines, requirePackage, startCommand, variableLines } from './node-package.ts'
import type { DockerfileRequest } from './preset.ts'

export const NODE_VERSIONS = ['NODE_JS_18', 'NODE_JS_20', 'NODE_JS_22', 'NODE_JS_24'] as const
export const DEFAULT_NODE_VERSION = 'NODE_JS_22'

/**
 * The base image is an argument, so that an installation behind a mirror, or without any registry, names its own.
 * Debian's rather than Alpine's: prebuilt native modules are made for its C library.
 */
export const nodeBase = (version: string): string =>
  `ARG NODE_IMAGE=node:${version.replace(/^NODE_JS_/, '')}-bookworm-slim`

export const FROM_NODE = 'FROM $NODE_IMAGE'

/** In the form that needs no shell, so that signals reach the program. */
export const exec = (command: readonly string[]): string => `CMD ${JSON.stringify(command)}`

export const dockerfileOf = (...parts: readonly (readonly string[])[]): string =>
  `${parts.map((part) => part.join('\n')).join('\n\n')}\n`

/** For programs that run as they are written: nothing is built, and nothing for development is installed. */
export function nodeProgram(request: DockerfileRequest): string {
  const facts = requirePackage(request)
  const copies = ['COPY --from=dependencies /app/node_modules ./node_modules', 'COPY . .']
  return dockerfileOf(
    [nodeBase(request.version)],
    productionDependencies(request),
    nodeStage(copies, startCommand(facts, request.facts.files)),
  )
}

/** Builds with every dependency, and runs with those that are not for development. */
export function builtNodeProgram(request: DockerfileRequest, start?: readonly string[]): string {
  const facts = requirePackage(request)
  const copies = ['COPY --from=build /app ./', 'COPY --from=dependencies /app/node_modules ./node_modules']
  return dockerfileOf(
    [nodeBase(request.version)],
    buildStage(request, 'npm run build && rm -rf node_modules'),
    productionDependencies(request),
    nodeStage(copies, start ?? startCommand(facts, request.facts.files)),
  )
}

/** Installs everything, copies the source, and runs one command. */
export const buildStage = (request: DockerfileRequest, command: string): string[] => [
  `${FROM_NODE} AS build`,
  'WORKDIR /app',
  ...installLines(request),
  'COPY . .',
  ...variableLines(request),
  `RUN ${command}`,
]

const productionDependencies = (request: DockerfileRequest): string[] => [
  `${FROM_NODE} AS dependencies`,
  'WORKDIR /app',
  ...installLines(request, { forProduction: true }),
]

/** What runs. The program's files belong to root and its user is another, so that it cannot change itself. */
export const nodeStage = (copies: readonly string[], command: readonly string[]): string[] => [
  FROM_NODE,
  'ENV NODE_ENV=production',
  'WORKDIR /app',
  ...copies,
  'USER node',
  exec(command),
]
