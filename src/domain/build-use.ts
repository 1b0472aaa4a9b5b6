/** What the build of a version has used. Sizes are of 1024 × 1024 bytes. */
export interface BuildUse {
  memoryPeakMb: number
  cpuSeconds: number
  writtenMb: number
  sentMb: number
  cacheMb: number
  steps: BuildStepUse[]
}

export interface BuildStepUse {
  /** The instruction, with its stage. */
  name: string
  seconds: number
  isCached: boolean
}

/** As a builder reports it. */
export interface MeasuredBuild {
  /** The peak of its programs, as measured once a second. */
  memoryPeakBytes: number
  cpuSeconds: number
  /** What its new layers take on the builder's disk. */
  writtenBytes: number
  /** Of its context. */
  sentBytes: number
  /** What the account's builder keeps for its next builds. */
  cacheBytes: number
  steps: readonly Readonly<BuildStepUse>[]
}

const MAX_STEPS = 200
const MAX_CHARACTERS = 200
const BYTES_PER_MB = 1024 * 1024

/** As it is recorded and shown. `nameOf` makes the name of a step safe to show: it may quote a secret. */
export function recordedBuildUse(measured: MeasuredBuild, nameOf: (name: string) => string): BuildUse {
  const steps = measured.steps.slice(0, MAX_STEPS).map(({ name, seconds, isCached }) => {
    const shown = nameOf(name).replaceAll(/\s+/g, ' ').trim()
    // Half of a character is none, and PostgreSQL refuses it.
    return { name: Array.from(shown).slice(0, MAX_CHARACTERS).join(''), seconds: rounded(seconds), isCached }
  })
  return {
    memoryPeakMb: megabytes(measured.memoryPeakBytes),
    cpuSeconds: rounded(measured.cpuSeconds),
    writtenMb: megabytes(measured.writtenBytes),
    sentMb: megabytes(measured.sentBytes),
    cacheMb: megabytes(measured.cacheBytes),
    steps,
  }
}

/** One line for people: `This build used 312 MB of memory at most, …`. */
export function buildUseInWords({ steps, ...measured }: MeasuredBuild, seconds: number): string {
  const cached = steps.filter(({ isCached }) => isCached).length
  const [memory, written] = [measured.memoryPeakBytes, measured.writtenBytes].map((bytes) =>
    Math.round(megabytes(bytes)),
  )
  return [
    `This build used ${memory} MB of memory at most, ${measured.cpuSeconds.toFixed(1)} CPU seconds, wrote ${written} MB`,
    `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}, ${cached} cached, in ${seconds.toFixed(1)} s`,
  ].join('; ')
}

/** The database column is untyped JSON; null where the builder does not report it, or nothing was built. */
export const recordedUseOf = ({ buildUse }: { buildUse: unknown }): BuildUse | null => buildUse as BuildUse | null

const megabytes = (bytes: number): number => rounded(bytes / BYTES_PER_MB)
const rounded = (value: number): number => Math.round(value * 100) / 100
