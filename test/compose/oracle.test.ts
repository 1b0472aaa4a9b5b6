import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { importCompose } from '../../src/solutions/compose/import-compose.ts'
import { answersOf, fileOf, type Kind, linesOf, VARIABLES } from './oracle/lines.ts'

/** docker-compose writes what it has read as a file again, with its dollar signs escaped. */
const unescaped = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('$$', '$'))

const read = (kind: Kind, line: string, given: Readonly<Record<string, string>> = VARIABLES) =>
  importCompose(fileOf(kind, line, stringify), given)

/** docker-compose warns of a variable that is not there, and takes it as empty; a call has to name it. */
function readWithMissing(kind: Kind, line: string) {
  const first = read(kind, line)
  const missing = first.problems.map(({ field }) => field.replace(/^variables\./, ''))
  if (missing.length === 0 || first.problems.some(({ field }) => !field.startsWith('variables.'))) return first
  return read(kind, line, { ...VARIABLES, ...Object.fromEntries(missing.map((name) => [name, ''])) })
}

test.each(['interpolation', 'commands', 'forms'] as const)('%s: every line has an answer', (kind) => {
  expect(Object.keys(answersOf(kind))).toEqual(linesOf(kind))
})

/** docker-compose asks for a variable also where the text that names it is not used. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: texts of compose files
const UNUSED: Readonly<Record<string, string>> = {
  '${EMPTY:+${UNSET:?never}}': '',
  '${SET:-${UNSET:?never}}': 'value',
}
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: texts of compose files

describe('a text is filled in as docker-compose does', () => {
  test.each(Object.entries(UNUSED))('%s, of which a part is not used', (line, value) => {
    expect(answersOf('interpolation')[line]).toHaveProperty('refused')
    expect(read('interpolation', line).solution?.components[0]?.variables).toEqual({ V: value })
  })

  test.each(Object.entries(answersOf('interpolation')).filter(([line]) => UNUSED[line] === undefined))(
    '%s',
    (line, answer) => {
      if ('refused' in answer) return expect(read('interpolation', line).solution).toBeNull()
      const { solution, values, problems } = readWithMissing('interpolation', line)
      expect(problems).toEqual([])
      const template = solution?.components[0]?.variables.V ?? ''
      const value = template.replace(/\{\{inputs\.(\w+)\}\}/g, (_whole, name) => values[name] ?? '')
      expect({ V: value }).toEqual(unescaped(answer.environment))
    },
  )
})

/** Where docker-compose drops the rest of the command, or reads a backslash in a way of its own. */
const REFUSED_HERE = /[;|&<>`]|\\n|\$'|\\d/

describe('a command is split as docker-compose does', () => {
  test.each(Object.entries(answersOf('commands')))('%s', (line, answer) => {
    const { solution, problems } = readWithMissing('commands', line)
    if ('refused' in answer || (REFUSED_HERE.test(line) && solution === null))
      expect(problems.map(({ field }) => field)).toEqual(['compose.services.a.command'])
    else
      expect(solution?.components[0]?.startupConfig).toMatchObject({ command: null, args: unescaped(answer.command) })
  })
})

/** The same of both, in the words of the file. */
const FIELDS: Readonly<Record<string, (answer: never) => unknown>> = {
  mem_limit: (bytes: string) => Math.ceil(Number(bytes) / 1024 ** 2),
  cpus: Number,
  stop_grace_period: (duration: string) =>
    [...duration.matchAll(/(\d+)([hms])/g)].reduce(
      (sum, [, number, unit]) => sum + Number(number) * ({ h: 3600, m: 60, s: 1 }[unit as 'h'] ?? 0),
      0,
    ),
  shm_size: (bytes: string) => Number(bytes) / 1024 ** 2,
  ulimits: (limits: Record<string, number | { soft: number; hard: number }>) =>
    Object.entries(limits).map(([name, one]) =>
      typeof one === 'number' ? { name, soft: one, hard: one } : { name, soft: one.soft, hard: one.hard },
    ),
  read_only: Boolean,
  init: Boolean,
  user: String,
  hostname: String,
  working_dir: String,
  stop_signal: String,
}

describe('a short and a long form mean what they mean to docker-compose', () => {
  test.each(Object.entries(answersOf('forms')))('%s', (line, answer) => {
    const { solution, problems } = read('forms', line)
    if ('refused' in answer) return expect(problems.length).toBeGreaterThan(0)
    const given = unescaped(answer) as Record<string, never> & {
      ports?: { target: number; host_ip?: string }[]
      deploy?: { replicas?: number; resources?: { limits: { cpus: number; memory: string } } }
      volumes?: { type: string; target: string }[]
      environment?: Record<string, string>
      entrypoint?: string[]
      tmpfs?: string[]
    }
    const open = [...new Set(given.ports?.filter((port) => port.host_ip === undefined).map(({ target }) => target))]
    if (open.length > 1) return expect(problems.map(({ field }) => field)[0]).toMatch(/services\.a\.ports\.0/)
    // Longer than an environment's containers may take to stop.
    if (line === 'stop_grace_period: 1h')
      return expect(problems).toMatchObject([{ field: 'compose.services.a.stop_grace_period' }])
    expect(problems).toEqual([])
    const component = solution?.components[0]
    const settings = component?.containerSettings
    if (open.length === 1) expect(component?.port).toBe(open[0])
    else if (given.ports) expect(given.ports.map(({ target }) => target)).toContain(component?.port)
    const seen: Record<string, unknown> = {
      mem_limit: component?.size?.memoryMb,
      cpus: component?.size?.cpu,
      stop_grace_period: settings?.stopGraceSeconds,
      shm_size: settings?.sharedMemoryMb,
      ulimits: settings?.ulimits,
      read_only: settings?.readOnlyRoot,
      init: settings?.init,
      user: settings?.user,
      hostname: settings?.hostname,
      working_dir: settings?.workingDir,
      stop_signal: settings?.stopSignal,
    }
    for (const [field, of] of Object.entries(FIELDS))
      if (given[field] !== undefined && given[field] !== null)
        expect({ [field]: seen[field] }).toEqual({ [field]: of(given[field]) })
    if (given.deploy?.replicas !== undefined) expect(component?.containers).toBe(given.deploy.replicas)
    const limits = given.deploy?.resources?.limits
    if (limits) expect(component?.size).toEqual({ cpu: limits.cpus, memoryMb: Number(limits.memory) / 1024 ** 2 })
    const volume = given.volumes?.find(({ type }) => type === 'volume')
    if (volume) expect(component?.volume?.path).toBe(volume.target.replace(/\/$/, ''))
    if (given.tmpfs)
      expect(settings?.tmpfs?.map(({ path }) => path)).toEqual(given.tmpfs.map((one) => one.split(':')[0]))
    if (given.entrypoint)
      expect([component?.startupConfig?.command, ...(component?.startupConfig?.args ?? [])]).toEqual(given.entrypoint)
    if (given.environment) expect(component?.variables).toEqual(given.environment)
  })
})
