import type { Dirent } from 'node:fs'
import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { SIGNS } from '../app-types/presets/detect-preset.ts'
import type { PackageFacts, PythonFacts, SourceFacts, WorkspacePackage } from '../app-types/presets/preset.ts'
import { BuildFailure } from '../domain/build-failure.ts'

const MAX_LINE_LENGTH = 2_000
const MAX_BYTES = 1024 * 1024
/** Entries of one folder that are looked at, and packages of a monorepo. */
const MAX_LISTED = 200
const MAX_PATTERNS = 100
const MAX_ITEM_LENGTH = 200

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
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const source = await openSource(directory)
  const { read } = source
  const packageText = await read('package.json')
  const settings = (await Promise.all(REGISTRY_SETTINGS.map(read))).join('\n')
  const workspace = (await read('pnpm-workspace.yaml')) ?? ''
  const requirements = (await read('requirements.txt')) ?? ''
  return {
    files,
    packageJson: packageText === null ? null : await packageFacts(source, packageText, pnpmPackages(workspace)),
    python: await pythonFacts(source, requirements),
    goPrograms: files.has('go.mod') ? await goPrograms(source) : [],
    foldersBelow: await foldersBelow(source, folders),
    webProcess: /^web:[ \t]*(\S.*)$/m.exec((await read('Procfile')) ?? '')?.[1]?.trim() ?? null,
    requirementsNameFiles: linesOf(requirements).some((line) => NAMES_FILES.test(line)),
    registryVariables: new Set(
      [...settings.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g)].flatMap(([, name]) => name ?? []),
    ),
  }
}

/** Reads below a folder, and through no link. */
interface Source {
  /** A small file's text, without its byte order mark; null where there is none. */
  read: (path: string) => Promise<string | null>
  isFile: (path: string) => Promise<boolean>
  /** Names in a folder; none where it is none. */
  list: (path: string) => Promise<Dirent[]>
}

async function openSource(directory: string): Promise<Source> {
  const root = await realpath(directory)
  const own = async (path: string) => {
    const full = join(root, path)
    return (await realpath(full).catch(() => null)) === full ? full : null
  }
  return {
    async read(path) {
      const full = await own(path)
      const found = full === null ? null : await lstat(full)
      if (full === null || !found?.isFile() || found.size > MAX_BYTES) return null
      return (await readFile(full, 'utf8')).replace(/^\uFEFF/, '')
    },
    async isFile(path) {
      const full = await own(path)
      return full !== null && (await lstat(full)).isFile()
    },
    async list(path) {
      const full = await own(path)
      const found = full === null ? [] : await readdir(full, { withFileTypes: true }).catch(() => [])
      return found.slice(0, MAX_LISTED)
    },
  }
}

/** Line by line: a regular expression over all lines could take exponential time. */
const linesOf = (text: string): string[] =>
  text.split('\n').map((line) => line.slice(0, MAX_LINE_LENGTH).trim().replaceAll(/\s+/g, ' '))

/** As Node.js looks for a file that is named without its ending, or by its folder. */
const ENTRY_ENDINGS = ['', '.js', '.mjs', '.cjs', '/index.js', '/index.mjs', '/index.cjs']
const USUAL_ENTRIES = ['server.js', 'index.js', 'app.js', 'server.mjs', 'index.mjs', 'app.mjs']

async function packageFacts(source: Source, text: string, pnpm: readonly string[] | null): Promise<PackageFacts> {
  const given = parsePackage(text)
  const scripts = textsOf(given.scripts)
  const all = dependenciesOf(given)
  const main = typeof given.main === 'string' ? given.main : null
  const workspaces = pnpm ?? workspacesOf(given.workspaces)
  return {
    scripts,
    main,
    entry: await entryOf(source, main),
    packages: new Set(Object.keys(all)),
    packageManager: packageManagerOf(given.packageManager),
    workspaces: workspaces === null ? null : await startingPackages(source, workspaces),
    installsFromSource:
      workspaces !== null ||
      INSTALL_SCRIPTS.some((name) => scripts[name] !== undefined) ||
      Object.values(all).some((version) => OWN_PACKAGE.test(version)),
  }
}

function dependenciesOf({ optionalDependencies, devDependencies, dependencies }: Readonly<Record<string, unknown>>) {
  return { ...textsOf(optionalDependencies), ...textsOf(devDependencies), ...textsOf(dependencies) }
}

async function entryOf({ isFile }: Source, main: string | null): Promise<string | null> {
  const named = main === null ? '' : posix.normalize(main)
  const isInside = named !== '' && named.length <= MAX_LINE_LENGTH && !/^(\/|\.\.(\/|$))/.test(named)
  const wanted = isInside ? ENTRY_ENDINGS.map((ending) => posix.join(named, '.') + ending) : []
  for (const file of [...wanted, ...USUAL_ENTRIES]) if (await isFile(file)) return file
  return null
}

function packageManagerOf(given: unknown): PackageFacts['packageManager'] {
  const [, name, major] = /^(npm|pnpm|yarn|bun)@(\d{1,4})/.exec(typeof given === 'string' ? given : '') ?? []
  return name && major ? { name, major: Number(major) } : null
}

/** `["packages/*"]`, or the same in an object; null where it is no workspace. */
function workspacesOf(given: unknown): string[] | null {
  if (given === undefined) return null
  const list = Array.isArray(given) ? given : (given as { packages?: unknown } | null)?.packages
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

/** The list `packages` of a pnpm-workspace.yaml; null without one. */
function pnpmPackages(text: string): string[] | null {
  const lines = text.split('\n').map((line) => line.slice(0, MAX_ITEM_LENGTH).trimEnd())
  const start = lines.findIndex((line) => /^packages:/.test(line))
  if (start < 0) return null
  const items = lines.slice(start + 1)
  const end = items.findIndex((line) => line !== '' && !/^[ \t]*(-|#)/.test(line))
  const list = items.slice(0, end < 0 ? undefined : end).slice(0, MAX_LISTED)
  return list.map(listItem).filter((item) => item !== '')
}

/** Of a line such as `  - "packages/*" # all`; empty for any other. */
function listItem(line: string): string {
  const entry = line.trimStart()
  if (!entry.startsWith('-')) return ''
  const [text = ''] = entry.slice(1).split('#')
  return text.trim().replace(/^["']/, '').replace(/["']$/, '')
}

/** Patterns are `folder` or `folder/*`; of others (`**`, exclusions) the packages are not looked for. */
async function startingPackages({ read, list }: Source, patterns: readonly string[]): Promise<WorkspacePackage[]> {
  const folders = new Set<string>()
  for (const pattern of patterns.slice(0, MAX_PATTERNS)) {
    const [, folder = '', rest] = /^(?:\.\/)?([\w@.-]+(?:\/[\w@.-]+)*)(\/\*{1,2})?\/?$/.exec(pattern) ?? []
    if (folder === '' || folder.split('/').includes('..')) continue
    if (rest === undefined) folders.add(folder)
    else for (const { name } of await list(folder)) if (/^[\w@.-]+$/.test(name)) folders.add(`${folder}/${name}`)
  }
  const found: WorkspacePackage[] = []
  for (const folder of [...folders].sort().slice(0, MAX_LISTED)) {
    const text = await read(`${folder}/package.json`)
    if (text === null) continue
    const given = parsePackage(text, `${folder}/package.json`)
    const scripts = textsOf(given.scripts)
    const name = typeof given.name === 'string' && /^[\w@./-]+$/.test(given.name) ? given.name : folder
    if (scripts.start !== undefined)
      found.push({ folder, name, scripts, packages: new Set(Object.keys(dependenciesOf(given))) })
  }
  return found
}

const PYTHON_ENTRIES = ['main.py', 'app.py', 'server.py', 'wsgi.py', 'app/main.py', 'src/main.py']
/** `app = FastAPI()`: what a server is given. */
const APPLICATION = /^([A-Za-z_]\w{0,60}) *(?::[^=]{0,60})?= *(?:\w+\.)?(?:FastAPI|Flask|Starlette|create_app)\(/m

async function pythonFacts({ read, isFile }: Source, requirements: string): Promise<PythonFacts> {
  const texts = [requirements, (await read('pyproject.toml')) ?? '', (await read('Pipfile')) ?? '']
  const packages = new Set(texts.flatMap(linesOf).flatMap(pythonPackages))
  const settings = /DJANGO_SETTINGS_MODULE["'], *["']([\w.]{1,200})\.settings/.exec(
    (await read('manage.py')) ?? '',
  )?.[1]
  const wsgiModule = settings && (await isFile(`${settings.replaceAll('.', '/')}/wsgi.py`)) ? `${settings}.wsgi` : null
  for (const file of PYTHON_ENTRIES) {
    const text = await read(file)
    if (text === null) continue
    const startsItself = /^if __name__ *==|^(?:\w+\.)?(?:run|serve)\(|^app\.run\(/m.test(text)
    return { packages, wsgiModule, entry: { file, startsItself, application: APPLICATION.exec(text)?.[1] ?? null } }
  }
  return { packages, wsgiModule, entry: null }
}

/** The names at the beginning of a line, and in its quotes: of requirements, and of the lists and keys of TOML. */
function pythonPackages(line: string): string[] {
  if (line.startsWith('#') || line.startsWith('-')) return []
  const names = [...line.matchAll(/(?:^|["'])([A-Za-z0-9][\w.-]{0,100})(\[[\w, -]{0,200}\])?/g)]
  return names.flatMap(([, name = '', extras]) => {
    const known = name.toLowerCase().replaceAll(/[_.]/g, '-')
    return known === 'fastapi' && /standard|all/.test(extras ?? '') ? [known, 'uvicorn'] : [known]
  })
}

async function goPrograms({ read, list }: Source): Promise<string[]> {
  const holdsMain = async (folder: string) => {
    for (const { name } of await list(folder)) {
      if (!name.endsWith('.go') || name.endsWith('_test.go')) continue
      if (/^package main\b/m.test((await read(folder === '.' ? name : `${folder}/${name}`)) ?? '')) return true
    }
    return false
  }
  if (await holdsMain('.')) return ['.']
  const found: string[] = []
  for (const { name } of await list('cmd')) {
    if (/^[\w.-]+$/.test(name) && (await holdsMain(`cmd/${name}`))) found.push(`cmd/${name}`)
  }
  return found.sort()
}

/** Of the folders at the top, those files that show what they hold. */
async function foldersBelow({ list }: Source, folders: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const folder of folders.slice(0, MAX_LISTED)) {
    if (folder === 'node_modules' || folder.startsWith('.')) continue
    const names = (await list(folder)).filter((entry) => entry.isFile()).map(({ name }) => name)
    const signs = names.filter((name) => SIGNS.includes(name)).sort()
    if (signs.length > 0) found.set(folder, signs)
  }
  return found
}

function parsePackage(text: string, file = 'package.json'): Readonly<Record<string, unknown>> {
  try {
    // As package managers see it: of a text or a list, none of the fields that are read exists.
    return { ...(JSON.parse(text) as object) }
  } catch {
    throw new BuildFailure('PRESET_NOT_APPLICABLE', `${file} is not a valid JSON object`)
  }
}

/** An object of texts; anything else is read as an empty one. */
function textsOf(value: unknown): Readonly<Record<string, string>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.values(value).every((one) => typeof one === 'string')
    ? (value as Record<string, string>)
    : {}
}
