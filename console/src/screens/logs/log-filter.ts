/** Which lines of an environment are shown. Each part stands in the address under its own name. */
export interface LogFilter {
  search: string
  container: string
  /** Id of a version. */
  version: string
  /** Id of a run of a job. */
  run: string
  stream: '' | 'STDOUT' | 'STDERR'
  /** At least this level; lines that name none are left out. */
  level: '' | Level
  /** Times in ISO 8601; without `to`, what is written from now on is shown as well. */
  from: string
  to: string
}

export const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'FATAL'] as const
export type Level = (typeof LEVELS)[number]

const NAMES = {
  search: 'q',
  container: 'container',
  version: 'version',
  run: 'run',
  stream: 'stream',
  level: 'level',
  from: 'from',
  to: 'to',
} as const satisfies Record<keyof LogFilter, string>

const instant = (text: string) => (Number.isNaN(Date.parse(text)) ? '' : text)

export function filterIn(parameters: URLSearchParams): LogFilter {
  const given = (name: keyof LogFilter) => parameters.get(NAMES[name]) ?? ''
  const stream = given('stream').toUpperCase()
  const level = given('level').toUpperCase()
  return {
    search: given('search'),
    container: given('container'),
    version: given('version'),
    run: given('run'),
    stream: stream === 'STDOUT' || stream === 'STDERR' ? stream : '',
    level: LEVELS.find((each) => each === level) ?? '',
    from: instant(given('from')),
    to: instant(given('to')),
  }
}

/** The address’s parameters with the filter changed; what they have besides stays. */
export function withFilter(parameters: URLSearchParams, change: Partial<LogFilter>): URLSearchParams {
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(change) as [keyof LogFilter, string][]) {
    if (value === '') next.delete(NAMES[name])
    else next.set(NAMES[name], value)
  }
  return next
}

/** What hides lines, in words. */
export function filterWords(filter: LogFilter, versionText: (id: string) => string): string[] {
  const { search, container, version, run, stream, level, from, to } = filter
  return [
    search && `the text “${search}”`,
    container && `the container ${container}`,
    version && versionText(version),
    run && `the run ${run}`,
    stream && `the stream ${stream.toLowerCase()}`,
    level && `the level ${level} and above`,
    (from || to) && 'the time',
  ].filter((word) => word !== '')
}

/** As the API takes it: of a line’s surroundings only what says which output is meant. */
export function sourceVariables({ container, version, run }: LogFilter) {
  return { containerName: container || null, contentId: version || null, jobRunId: run || null }
}

export function liveVariables(filter: LogFilter) {
  const { search, stream, level } = filter
  return {
    ...sourceVariables(filter),
    search: search || null,
    stream: stream || null,
    level: level ? LEVELS.slice(LEVELS.indexOf(level)) : null,
  }
}

export function filterVariables(filter: LogFilter) {
  return { ...liveVariables(filter), from: filter.from || null, to: filter.to || null }
}
