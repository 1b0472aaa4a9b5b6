/** The environments that runs are asked of: each has settings or an image of its own. */
export const JOBS = ['plain', 'retrying', 'gone'] as const
export type JobName = (typeof JOBS)[number]

/** What a run may do, and how its record has to end. */
export interface Kind {
  name: string
  job: JobName
  program: string
  timeoutSeconds?: number
  status: string
  reason: string | null
  /** Undefined: whatever the program ends with when it is told to. */
  exitCode?: number | null
  attempts: number
  /** Lines beside the one by which each attempt says that it was started. */
  lines: number
}

const FLOOD = 2000
const LONGER = 'setTimeout(() => {}, 1500 * Math.random())'
/** A busy machine may take seconds until a program listens for signals. */
const TIMEOUT_SECONDS = 8

const SUCCEEDED = { status: 'SUCCEEDED', reason: null, exitCode: 0, lines: 0, attempts: 1, job: 'plain' } as const
const FAILED = { ...SUCCEEDED, status: 'FAILED' } as const
const TIMED_OUT = { ...SUCCEEDED, status: 'TIMED_OUT', reason: 'TIMED_OUT', timeoutSeconds: TIMEOUT_SECONDS } as const

export const KINDS: readonly Kind[] = [
  { ...SUCCEEDED, name: 'success', program: LONGER },
  { ...FAILED, name: 'exit code', program: 'process.exit(7)', reason: 'EXIT_CODE', exitCode: 7 },
  { ...FAILED, name: 'signal', program: `process.kill(process.pid, 'SIGKILL')`, reason: 'SIGNAL', exitCode: 137 },
  {
    ...FAILED,
    name: 'memory',
    reason: 'OUT_OF_MEMORY',
    exitCode: 137,
    program: 'const all = []; for (;;) all.push(Buffer.alloc(16e6, 1))',
  },
  { ...TIMED_OUT, name: 'hang', program: 'setInterval(() => {}, 1000)', exitCode: undefined },
  {
    ...TIMED_OUT,
    name: 'ignores SIGTERM',
    exitCode: 137,
    program: `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`,
  },
  {
    ...SUCCEEDED,
    name: 'flood',
    lines: FLOOD,
    program: `for (let n = 0; n < ${FLOOD}; n += 1) console.log('line ' + n)`,
  },
  {
    ...SUCCEEDED,
    name: 'second attempt',
    job: 'retrying',
    attempts: 2,
    program: `process.exit(process.env.BERTH_JOB_ATTEMPT === '2' ? 0 : 5)`,
  },
  { ...FAILED, name: 'image gone', job: 'gone', program: '', reason: 'IMAGE_GONE', exitCode: null },
]
