/**
 * One environment, as the contract's state machine has it (§2) and without anything that makes it work: what each
 * command answers and what it leaves behind. Written from the contract, not from the services, and pure.
 */
export type Status = 'PENDING' | 'UPDATING' | 'RUNNING' | 'STOPPED'

export interface Version {
  readonly image: string
  readonly setting: string
  readonly status: 'QUEUED' | 'DEPLOYING' | 'DEPLOYED' | 'FAILED' | 'CANCELLED'
}

interface Operation {
  /** The call that began it. */
  readonly by: number
  readonly kind: 'DEPLOY' | 'START' | 'STOP' | 'DELETE'
  /** Number of the version that it brings about, or back; 0 when it brings none. */
  readonly version: number
  /** Where the environment stood before the first operation of an unbroken row. */
  readonly before: Status
  readonly isRunning: boolean
}

export interface State {
  readonly status: Status
  /** What If-Match compares. */
  readonly revision: number
  /** The version that serves; 0 before the first. */
  readonly current: number
  readonly versions: readonly Version[]
  /** As configured: the next version runs with it. */
  readonly setting: string
  readonly open: Operation | null
  /** How each operation ended, by the call that began it. */
  readonly ends: Readonly<Record<number, string>>
  readonly isDeleted: boolean
}

export const FRESH: State = {
  status: 'PENDING',
  revision: 1,
  current: 0,
  versions: [],
  setting: '',
  open: null,
  ends: {},
  isDeleted: false,
}

export type Command =
  /** `whole`: with the newest version too, where an API returns that elsewhere. */
  | { name: 'read'; whole: boolean }
  | { name: 'deployImage'; image: string }
  | { name: 'redeploy' | 'rollback'; version: number | null }
  | { name: 'stop' | 'start' | 'applyChanges' | 'delete' }
  | { name: 'configure'; setting: string; applyImmediately: boolean }
  /** `by`: the call whose operation is meant. */
  | { name: 'cancel'; by: number }

export type Answer = Readonly<Record<string, string | number | null>>

export interface Step {
  answer: Answer
  next: State
}

/** What never becomes ready, whatever is tried. */
export const BROKEN = 'broken'

const refused = (state: State, refusal: string): Step => ({ answer: { refusal }, next: state })

const conflict = (state: State, reason: string) => refused(state, `CONFLICT ${reason}`)

/** What a call is answered with, and where it leads. `expected`: the revision that the caller insists on. */
export function decide(state: State, command: Command, by: number, expected: number | null = null): Step {
  if (command.name === 'cancel') return cancel(state, command.by)
  if (state.isDeleted) return refused(state, 'NOT_FOUND')
  if (command.name === 'read') return { answer: whatIsRead(state), next: state }
  if (expected !== null && expected !== state.revision) return refused(state, 'PRECONDITION_FAILED VERSION_MISMATCH')
  switch (command.name) {
    case 'deployImage':
      return deploy(state, by, command.image, state.setting)
    case 'redeploy':
      return redeploy(state, by, command.version ?? state.current)
    case 'rollback':
      return rollback(state, by, command.version ?? earlierThan(state.current, state.versions))
    case 'stop':
      return stop(state, by)
    case 'start':
      return start(state, by)
    case 'applyChanges':
      return isStopped(state) ? conflict(state, 'ENVIRONMENT_STOPPED') : apply(state, by)
    case 'configure':
      return configure(state, by, command.setting, command.applyImmediately)
    case 'delete': {
      const { answer, next } = begin(state, by, 'DELETE', 0)
      return { answer: { version: answer.version ?? 0 }, next: { ...next, isDeleted: true } }
    }
  }
}

function whatIsRead({ status, revision, current, versions }: State): Answer {
  const latest = versions.at(-1)?.status ?? null
  return { status, revision, current: current || null, latest }
}

const numbered = ({ versions }: State, number: number) => versions[number - 1]

function earlierThan(current: number, versions: readonly Version[]): number {
  return versions.slice(0, Math.max(0, current - 1)).findLastIndex(({ status }) => status === 'DEPLOYED') + 1
}

/** Being stopped is being stopped already, for whatever would bring it up again by the way. */
const isStopped = ({ status, open }: State) => status === 'STOPPED' || open?.kind === 'STOP'

const deploy = (state: State, by: number, image: string, setting: string) =>
  begin({ ...state, versions: [...state.versions, { image, setting, status: 'QUEUED' }] }, by, 'DEPLOY')

function redeploy(state: State, by: number, number: number): Step {
  const chosen = numbered(state, number)
  if (chosen?.status !== 'DEPLOYED') return conflict(state, 'NEVER_DEPLOYED')
  return deploy(state, by, chosen.image, state.setting)
}

function rollback(state: State, by: number, number: number): Step {
  const target = numbered(state, number)
  if (!target) return conflict(state, 'NO_EARLIER_VERSION')
  if (number === state.current) return conflict(state, 'ALREADY_CURRENT')
  if (target.status !== 'DEPLOYED') return conflict(state, 'NEVER_DEPLOYED')
  const { answer, next } = deploy(state, by, target.image, target.setting)
  return { answer: { ...answer, from: state.current, to: number }, next }
}

function stop(state: State, by: number): Step {
  if (state.status === 'PENDING') return conflict(state, 'NEVER_DEPLOYED')
  if (state.status === 'STOPPED') return conflict(state, 'ALREADY_STOPPED')
  return state.open?.kind === 'STOP' ? conflict(state, 'ALREADY_STOPPING') : begin(state, by, 'STOP', 0)
}

function start(state: State, by: number): Step {
  if (state.current === 0) return conflict(state, 'NEVER_DEPLOYED')
  if (state.open?.kind === 'START') return conflict(state, 'ALREADY_STARTING')
  return isStopped(state) ? begin(state, by, 'START', state.current) : conflict(state, 'ALREADY_RUNNING')
}

/** Compared is what runs, or what is on its way to run: an apply goes on with it. */
function apply(state: State, by: number): Step {
  const base = numbered(state, state.open?.version || state.current)
  if (!base || base.setting === state.setting) return { answer: { status: state.status, version: null }, next: state }
  return deploy(state, by, base.image, state.setting)
}

function configure(state: State, by: number, setting: string, applyImmediately: boolean): Step {
  const changed = { ...state, setting, revision: state.revision + 1 }
  const { answer, next } = applyImmediately && !isStopped(state) ? apply(changed, by) : { answer: {}, next: changed }
  return { answer: { status: next.status, revision: next.revision, version: answer.version ?? null }, next }
}

function cancel(state: State, by: number): Step {
  if (state.open?.by !== by) return conflict(state, 'OPERATION_ENDED')
  if (state.open.kind === 'DELETE') return conflict(state, 'NOT_CANCELLABLE')
  const next = { ...ended(state, 'CANCELLED_BY_USER', 'CANCELLED'), status: statusAfter(state) }
  return { answer: { status: next.status }, next: { ...next, revision: next.revision + 1 } }
}

function begin(state: State, by: number, kind: Operation['kind'], version = state.versions.length): Step {
  const open = { by, kind, version, before: state.open?.before ?? state.status, isRunning: false }
  const next = { ...ended(state, 'SUPERSEDED', 'CANCELLED'), open, status: 'UPDATING' as const }
  return { answer: { status: 'UPDATING', version }, next: { ...next, revision: next.revision + 1 } }
}

function ended(state: State, end: string, status: Version['status']): State {
  if (!state.open) return state
  const next = withVersion(state, state.open.version, status)
  return { ...next, open: null, ends: { ...state.ends, [state.open.by]: end } }
}

/** A version that was deployed once stays so. */
const withVersion = (state: State, number: number, status: Version['status']): State => ({
  ...state,
  versions: state.versions.map((version, index) =>
    index === number - 1 && version.status !== 'DEPLOYED' ? { ...version, status } : version,
  ),
})

function statusAfter({ current, open }: State): Status {
  if (current === 0) return 'PENDING'
  return open?.before === 'STOPPED' ? 'STOPPED' : 'RUNNING'
}

/** What the worker may do next, unasked and unseen: take the operation up, then end it. */
export function work(state: State): State | null {
  const { open } = state
  if (!open) return null
  if (!open.isRunning) return { ...withVersion(state, open.version, 'DEPLOYING'), open: { ...open, isRunning: true } }
  const version = numbered(state, open.version)
  const isBroken = version?.image === BROKEN || version?.setting === BROKEN
  const next = isBroken ? ended(state, 'FAILED', 'FAILED') : ended(state, 'SUCCEEDED', 'DEPLOYED')
  const revision = state.revision + 1
  if (isBroken) return { ...next, revision, status: statusAfter(state) }
  if (version) return { ...next, revision, status: 'RUNNING', current: open.version }
  return { ...next, revision, status: state.current === 0 && open.kind === 'STOP' ? 'PENDING' : 'STOPPED' }
}
