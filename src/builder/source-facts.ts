import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackageFacts, SourceFacts } from '../app-types/presets/preset.ts'
import { BuildFailure } from '../domain/build-failure.ts'

const MAX_LINE_LENGTH = 2_000
const MAX_BYTES = 1024 * 1024

/** Scripts that a package manager runs during installation; they may read or write any file. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare']
/** A package from a file or folder of the source instead of a registry. */
const OWN_PACKAGE = /^(file|link|portal|workspace|patch):|^\.{0,2}\//
/** Lines of requirements.txt that name other files: `-r base.txt`, `-e .`, `./wheels/a.whl`, `a @ file:…`. */
const NAMES_FILES =
  /^(-[rce]|--(requirement|constraint|editable|find-links)\b|\.{0,2}\/|[^#\s]* ?@ ?file:|[^#\s]+\.whl\b)/
/** Settings with which package managers sign in to registries; the values come from the environment. */
const REGISTRY_SETTINGS = ['.npmrc', '.yarnrc.yml', '.yarnrc']

/** The facts that presets use. Reads a few small files, and none of them through a link. */
export async function readFacts(directory: string): Promise<SourceFacts> {
  const entries = await readdir(directory, { withFileTypes: true })
  const files = new Set(entries.filter((entry) => !entry.isSymbolicLink()).map(({ name }) => name))
  const readable = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
  const read = (name: string) => (readable.has(name) ? readSmall(join(directory, name)) : null)
  const packageText = await read('package.json')
  const settings = (await Promise.all(REGISTRY_SETTINGS.map(read))).join('\n')
  const hasWorkspace = /^packages:/m.test((await read('pnpm-workspace.yaml')) ?? '')
  return {
    files,
    packageJson: packageText === null ? null : packageFacts(packageText, hasWorkspace),
    webProcess: /^web:[ \t]*(\S.*)$/m.exec((await read('Procfile')) ?? '')?.[1]?.trim() ?? null,
    requirementsNameFiles: linesOf((await read('requirements.txt')) ?? '').some((line) => NAMES_FILES.test(line)),
    registryVariables: new Set(
      [...settings.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g)].flatMap(([, name]) => name ?? []),
    ),
  }
}

/** Line by line: a regular expression over all lines could take exponential time. */
const linesOf = (text: string): string[] =>
  text.split('\n').map((line) => line.slice(0, MAX_LINE_LENGTH).trim().replaceAll(/\s+/g, ' '))

async function readSmall(file: string): Promise<string | null> {
  const { size } = await stat(file)
  return size > MAX_BYTES ? null : readFile(file, 'utf8')
}

function packageFacts(text: string, hasWorkspace: boolean): PackageFacts {
  const given = parsePackage(text)
  const scripts = textsOf(given.scripts)
  const { optionalDependencies, devDependencies, dependencies } = given
  const all = { ...textsOf(optionalDependencies), ...textsOf(devDependencies), ...textsOf(dependencies) }
  return {
    scripts,
    main: typeof given.main === 'string' ? given.main : null,
    installsFromSource:
      hasWorkspace ||
      given.workspaces !== undefined ||
      INSTALL_SCRIPTS.some((name) => scripts[name] !== undefined) ||
      Object.values(all).some((version) => OWN_PACKAGE.test(version)),
  }
}

function parsePackage(text: string): Readonly<Record<string, unknown>> {
  try {
    // As package managers see it: of a text or a list, none of the fields that are read exists.
    return { ...(JSON.parse(text) as object) }
  } catch {
    throw new BuildFailure('PRESET_NOT_APPLICABLE', 'package.json is not a valid JSON object')
  }
}

/** An object of texts; anything else is read as an empty one. */
function textsOf(value: unknown): Readonly<Record<string, string>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.values(value).every((one) => typeof one === 'string')
    ? (value as Record<string, string>)
    : {}
}
