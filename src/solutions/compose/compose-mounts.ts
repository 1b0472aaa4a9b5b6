import { withoutTrailing } from '../../domain/without-trailing.ts'
import { type ComposeProblems, type Fields, isObject, textOf, textsOf } from './compose-problems.ts'
import { readMegabytes } from './compose-units.ts'

interface Tmpfs {
  path: string
  sizeMb?: number
}

export interface ComposeMounts {
  volume: { path: string; name: string | null } | null
  tmpfs: Tmpfs[]
}

interface Mount {
  place: string
  path: string
  name: string | null
}

const TMPFS_SIZE = { min: 1, max: 65_536 }
const HOST_PATH = /^(?:[./~]|[A-Za-z]:[\\/])/
/** Of a path of Windows; `v:/data` is a volume with a short name. */
const DRIVE = /^[A-Za-z]:(?=\\|\/[^:]{0,1000}:\/)/
/** Of the short form; SELinux is the host’s, and a volume is consistent. */
const HARMLESS = ['rw', 'z', 'Z', 'cached', 'delegated', 'consistent']

export function readMounts(fields: Fields, place: string, problems: ComposeProblems): ComposeMounts {
  const tmpfs = textsOf(fields.tmpfs).map((one, index) => tmpfsOf(one, `${place}.tmpfs.${index}`, problems))
  const volumes: Mount[] = []
  const given = Array.isArray(fields.volumes) ? fields.volumes : []
  for (const [index, one] of given.entries()) {
    const at = `${place}.volumes.${index}`
    if (one === undefined) continue
    if (isObject(one) && one.type === 'tmpfs') tmpfs.push(longTmpfs(one, at, problems))
    else volumes.push(...(isObject(one) ? longMount(one, at, problems) : shortMount(String(one), at, problems)))
  }
  const [first, ...others] = volumes
  for (const other of others)
    problems.add(
      other.place,
      `is a second volume: an app has one, at ${first?.path}; put both below one folder, or use tmpfs for what may be lost`,
    )
  return { volume: first ? { path: first.path, name: first.name } : null, tmpfs }
}

function longMount({ type, source, target }: Fields, place: string, problems: ComposeProblems): Mount[] {
  const path = pathOf(textOf(target) ?? '', `${place}.target`, problems)
  if (type !== 'volume')
    problems.add(
      `${place}.type`,
      `${type} is not supported: ${type === 'bind' ? 'it is a path of the host' : 'only volume and tmpfs are'}`,
    )
  else if (path !== null) return [{ place, path, name: textOf(source) }]
  return []
}

function shortMount(text: string, place: string, problems: ComposeProblems): Mount[] {
  const drive = DRIVE.exec(text)?.[0] ?? ''
  const [head = '', ...more] = text.slice(drive.length).split(':')
  const parts = [drive + head, ...more]
  const [source, target, options] = parts.length === 1 ? [null, parts[0], undefined] : parts
  if (typeof source === 'string' && HOST_PATH.test(source)) {
    problems.add(place, `${source} is not supported: it is a path of the host; ${FILES}`)
    return []
  }
  const wrong = (options ?? '').split(',').filter((one) => one !== '' && !HARMLESS.includes(one))
  if (parts.length > 3) problems.add(place, 'must be [name:]path[:options]')
  else if (wrong.includes('ro'))
    problems.add(place, 'ro is not supported: a volume belongs to one app, which may write to it; leave it out')
  else if (wrong.length > 0) problems.add(place, `${wrong.join(', ')} is not supported`)
  else {
    const path = pathOf(target ?? '', place, problems)
    return path === null ? [] : [{ place, path, name: source ?? null }]
  }
  return []
}

const FILES = 'build files into the image, or let a volume keep them'

function pathOf(text: string, place: string, problems: ComposeProblems): string | null {
  if (text.startsWith('/')) return withoutTrailing(text, '/') || '/'
  problems.add(place, 'must be an absolute path of the container')
  return null
}

function tmpfsOf(text: string, place: string, problems: ComposeProblems): Tmpfs {
  const [path = '', ...more] = text.split(':')
  const tmpfs: Tmpfs = { path: pathOf(path, place, problems) ?? '' }
  for (const option of more
    .join(':')
    .split(',')
    .filter((one) => one !== '')) {
    const [, size] = /^size=(.{1,40})$/.exec(option) ?? []
    const sizeMb = size === undefined ? undefined : readMegabytes(size, place, TMPFS_SIZE, problems)
    if (size === undefined) problems.add(place, `${option.slice(0, 40)} is not supported: size is the one option`)
    else if (sizeMb) tmpfs.sizeMb = sizeMb
  }
  return tmpfs
}

function longTmpfs({ target, tmpfs }: Fields, place: string, problems: ComposeProblems): Tmpfs {
  const path = pathOf(textOf(target) ?? '', `${place}.target`, problems) ?? ''
  const size = isObject(tmpfs) ? tmpfs.size : undefined
  const sizeMb = size === undefined ? null : readMegabytes(size, `${place}.tmpfs.size`, TMPFS_SIZE, problems)
  return sizeMb === null ? { path } : { path, sizeMb }
}
