/** The packages that a manifest wants, by name, each with its range. */
export interface WantedPackages {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** An entry of package-lock.json. */
export interface LockedPackage extends WantedPackages {
  version?: string
  integrity?: string
  resolved?: string
  inBundle?: boolean
  link?: boolean
}

/**
 * What is wrong with a lock file: packages that are wanted and missing, those of other platforms included; versions
 * without a digest; registries by address, which would bind every clone to them.
 *
 * npm adds to a lock file what its own node_modules holds, so an install over one of them leaves out the optional
 * packages of other platforms; and only some versions of `npm ci` notice.
 */
export function lockFileProblems(wanted: WantedPackages, locked: Record<string, LockedPackage>): string[] {
  const { '': root = {}, ...packages } = locked
  return [
    ...differences(wanted, root),
    ...Object.entries(locked).flatMap(([path, about]) => missingFrom(path, about, locked)),
    ...Object.entries(packages).flatMap(([path, about]) => entryProblems(path, about)),
  ]
}

function differences(wanted: WantedPackages, root: WantedPackages): string[] {
  const [now, then] = [rangesOf(wanted, 'root'), rangesOf(root, 'root')]
  const names = new Set([...Object.keys(now), ...Object.keys(then)])
  return [...names]
    .filter((name) => now[name] !== then[name])
    .map((name) => `${name}: package.json wants ${now[name] ?? 'none'}, package-lock.json has ${then[name] ?? 'none'}`)
}

function missingFrom(path: string, about: LockedPackage, locked: Record<string, LockedPackage>): string[] {
  return Object.entries(rangesOf(about, path === '' ? 'root' : 'package'))
    .filter(([name]) => !placesOf(name, path).some((place) => locked[place]))
    .map(([name, range]) => `${path || 'package.json'}: ${name}@${range} is missing`)
}

function entryProblems(path: string, { integrity, resolved, inBundle, link }: LockedPackage): string[] {
  // A workspace is a folder of the project itself.
  if (link || !path.includes('node_modules/')) return []
  return [
    ...(integrity || inBundle ? [] : [`${path}: there is no digest`]),
    ...(resolved ? [`${path}: its address is ${resolved}`] : []),
  ]
}

/** Development packages of others are not installed. */
const rangesOf = (about: WantedPackages, of: 'root' | 'package'): Record<string, string> => ({
  ...about.dependencies,
  ...about.optionalDependencies,
  ...(of === 'root' && about.devDependencies),
})

/** Where Node.js looks for a package that another one imports, nearest first. */
function placesOf(name: string, importer: string): string[] {
  const segments = importer.split('/node_modules/')
  const parents = segments.map((_, index) => segments.slice(0, segments.length - index).join('/node_modules/'))
  return [...(importer === '' ? [] : parents.map((parent) => `${parent}/node_modules/${name}`)), `node_modules/${name}`]
}
