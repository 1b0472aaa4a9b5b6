import type { ResultOf } from '../../graphql/graphql.ts'
import type { Shown } from '../../ui/status.tsx'
import type { Installation } from './documents.ts'

type Data = ResultOf<typeof Installation>
export type Installed = NonNullable<Data['installation']>
/** Its solution, as the catalogue has it now. */
export type Declared = NonNullable<Data['solutions']>[number]

const STATUS = {
  INSTALLING: { icon: 'loader', word: 'Installing', tone: 'info' },
  INSTALLED: { icon: 'circleCheck', word: 'Installed', tone: 'good' },
  INCOMPLETE: { icon: 'circleX', word: 'Incomplete', tone: 'bad' },
} as const satisfies Record<string, Shown>

export const installationStatus = (status: keyof typeof STATUS): Shown => STATUS[status]

const STATES = {
  PENDING: { icon: 'circleDashed', word: 'Waits for others', tone: 'soft' },
  DEPLOYING: { icon: 'loader', word: 'Deploying', tone: 'info' },
  READY: { icon: 'circleCheck', word: 'Ready', tone: 'good' },
  FAILED: { icon: 'circleX', word: 'Failed', tone: 'bad' },
} as const satisfies Record<string, Shown>

/** With the step of its operation, while it is being deployed. */
export const componentState = (state: keyof typeof STATES, step?: string): Shown =>
  state === 'DEPLOYING' && step ? { ...STATES.DEPLOYING, word: `Deploying: ${step}` } : STATES[state]
