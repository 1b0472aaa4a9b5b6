import { lstat, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildFailure } from '../domain/build-failure.ts'
import { safePath } from './archive/entry-rules.ts'
import { sealVariables } from './sealed-variables.ts'

const MAX_DOCKERFILE_BYTES = 256 * 1024

/** Where nixpacks writes, in the source's folder. */
export const NIXPACKS_FOLDER = '.nixpacks'

type Fields = Readonly<Record<string, unknown>>

/**
 * The variables of a plan. The plan also contains the source's own settings, which must not make nixpacks write files
 * outside the source. Throws BuildFailure.
 */
export function readNixpacksPlan(text: string): Record<string, string> {
  const plan = fieldsOf(parse(text))
  for (const name of Object.keys(fieldsOf(plan.staticAssets))) safePath(name)
  for (const phase of Object.values(fieldsOf(plan.phases))) {
    const { nixpkgsArchive } = fieldsOf(phase)
    if (!/^[\w.-]*$/.test(nixpkgsArchive == null ? '' : textOf(nixpkgsArchive))) {
      throw new BuildFailure('SOURCE_REFUSED', 'nixpkgsArchive of the nixpacks settings is not the name of an archive')
    }
  }
  return Object.fromEntries(Object.entries(fieldsOf(plan.variables)).map(([name, value]) => [name, textOf(value)]))
}

const unreadable = () => new BuildFailure('BUILD_FAILED', 'nixpacks answered with a plan that cannot be read')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable()
  }
}

/** An object; none is one without fields. */
function fieldsOf(value: unknown): Fields {
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable()
  return value as Fields
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw unreadable()
  return value
}

/** The Dockerfile that nixpacks wrote, with these variables; its file is removed. Throws BuildFailure. */
export async function takeNixpacksDockerfile(context: string, names: readonly string[]): Promise<string> {
  const folder = join(context, NIXPACKS_FOLDER)
  const text = await readDockerfile(join(folder, 'Dockerfile'))
  // The docker command that it suggests contains every value, and would be copied into the image with the source.
  for (const name of ['build.sh', 'Dockerfile']) await rm(join(folder, name), { force: true })
  return sealVariables(text, names)
}

async function readDockerfile(file: string): Promise<string> {
  const found = await lstat(file).catch(() => null)
  if (found?.isFile() && found.size <= MAX_DOCKERFILE_BYTES) return readFile(file, 'utf8')
  throw new BuildFailure('DOCKERFILE_NOT_FOUND', 'nixpacks has written no Dockerfile')
}
