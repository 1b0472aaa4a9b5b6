import { posix } from 'node:path'
import type { ComponentBuild } from '../solution.ts'
import { type ComposeProblems, type Fields, isObject, textOf, textsOf } from './compose-problems.ts'

/** Where the folder of a compose file is, for services that are built. */
export interface ComposeFolder {
  gitRepo: string
  gitNamespace?: string | undefined
  gitInstallationId?: string | undefined
  branch: string
  /** Folder of the repository in which the file lies; empty: its root. */
  path: string
}

/** Of addresses such as `git@host:owner/name.git`, those with a scheme, and those that Docker takes for GitHub’s. */
const REMOTE = /^(?:[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:|github\.com\/)/i
const NO_FOLDER =
  'is not supported without the folder of the file: send gitRepo and branch of the repository that it lies in, or push the image to a registry and name it under image'

/** What a service is built from; null where it is not. */
export function readBuild(
  { build }: Fields,
  folder: ComposeFolder | null,
  given: Readonly<Record<string, string>>,
  place: string,
  problems: ComposeProblems,
): ComponentBuild | null {
  if (build === undefined || build === null) return null
  const at = `${place}.build`
  if (!folder) {
    problems.add(at, NO_FOLDER)
    return null
  }
  const fields: Fields = isObject(build) ? build : { context: build }
  const context = contextOf(fields, folder, at, problems)
  const { gitRepo, gitNamespace, gitInstallationId, branch } = folder
  const inline = textOf(fields.dockerfile_inline)
  if (inline !== null && fields.dockerfile !== undefined)
    problems.add(`${at}.dockerfile`, 'is there beside dockerfile_inline; leave one of them out')
  const args = argumentsOf(fields.args, given)
  const target = textOf(fields.target)
  return {
    gitRepo,
    ...(gitNamespace === undefined ? {} : { gitNamespace }),
    ...(gitInstallationId === undefined ? {} : { gitInstallationId }),
    branch,
    contextDir: context,
    ...(inline === null ? dockerfileOf(fields, context, at, problems) : { customDockerfileContent: inline }),
    ...(Object.keys(args).length === 0 ? {} : { buildArgs: JSON.stringify(args) }),
    ...(target === null || target === '' ? {} : { buildTarget: target }),
  }
}

function contextOf(fields: Fields, folder: ComposeFolder, at: string, problems: ComposeProblems): string {
  const written = textOf(fields.context) ?? '.'
  const where = isObject(fields) && fields.context !== undefined ? `${at}.context` : at
  checkPath(written, where, problems)
  const context = posix.normalize(posix.join(folder.path, written, '.'))
  if (isOutside(context)) problems.add(where, 'leads out of the repository')
  return context
}

/**
 * Relative to the context, as compose has it, also outside of it. Given from the root of the repository: an app whose path
 * is that in its context would have the root's file where its own is missing.
 */
function dockerfileOf(fields: Fields, context: string, at: string, problems: ComposeProblems) {
  const written = textOf(fields.dockerfile) || null
  if (written === null && context === '.') return {}
  const where = `${at}.dockerfile`
  if (written !== null) checkPath(written, where, problems)
  const path = posix.normalize(posix.join(context, written ?? 'Dockerfile'))
  if (isOutside(path)) problems.add(where, 'leads out of the repository')
  else if (path === context || path === '.' || path.endsWith('/')) problems.add(where, 'is a folder: name the file')
  return { dockerfilePath: path }
}

/** A path of the repository. */
function checkPath(written: string, where: string, problems: ComposeProblems): void {
  if (REMOTE.test(written))
    problems.add(where, 'is another repository: create an app that builds from it, beside the installation')
  else if (/^[/~]|^[A-Za-z]:[\\/]/.test(written))
    problems.add(where, 'is a path of your machine: name one of the repository, relative to the compose file')
  else if (written.includes('\\') || written.includes('\0')) problems.add(where, 'is no path: folders are divided by /')
}

const isOutside = (path: string): boolean => path === '..' || path.startsWith('../')

/** An argument without a value has that of the call, or none, as it has that of the shell in compose. */
function argumentsOf(args: unknown, given: Readonly<Record<string, string>>): Record<string, string> {
  const entries: [string, unknown][] = isObject(args)
    ? Object.entries(args)
    : textsOf(args).map((line) => {
        const at = line.indexOf('=')
        return at < 0 ? [line, null] : [line.slice(0, at), line.slice(at + 1)]
      })
  return Object.fromEntries(
    entries.flatMap(([name, written]) => {
      const value = written ?? given[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
