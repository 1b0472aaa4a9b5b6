import { Icon, type IconName } from './icons.tsx'
import styles from './status.module.css'
import { formatTime } from './time.tsx'

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'soft'

export interface Shown {
  icon: IconName
  word: string
  tone: Tone
}

/** What is needed of an environment to say how it is. */
export interface Observed {
  status: 'PENDING' | 'RUNNING' | 'STOPPED' | 'UPDATING'
  health: 'HEALTHY' | 'DEGRADED' | 'UNHEALTHY' | 'UNKNOWN'
  observedAt: string | null
  sleeping: boolean
  sleepDepth?: keyof typeof SLEEP_DEPTHS | null
  replicas: { desired: number; running: number; ready: number }
  currentDeployment: { version: number } | null
  latestDeployment: { version: number; status: string } | null
}

/** How deep something sleeps: what became of its container, and what a request meets. */
export const SLEEP_DEPTHS = {
  FROZEN: {
    word: 'frozen',
    about: 'Its container is paused: memory and connections stay, and a request goes on within milliseconds.',
  },
  STOPPED: {
    word: 'stopped',
    about: 'Its container is there and does not run: a request waits for its program to start.',
  },
  NONE: {
    word: 'no container',
    about: 'It has no container: a request waits until one is made and its program started.',
  },
} as const

/** What Berth observed of an environment, in words; `step` is that of its open operation. */
export function statusOf(environment: Observed, step?: string | null): Shown {
  const { status, health, observedAt, sleeping, sleepDepth, replicas, currentDeployment, latestDeployment } =
    environment
  if (status === 'UPDATING') return { icon: 'loader', word: step ? `Updating: ${step}` : 'Updating', tone: 'info' }
  if (latestDeployment?.status === 'FAILED' && latestDeployment.version !== currentDeployment?.version) {
    const serves = currentDeployment && status === 'RUNNING' ? `, version ${currentDeployment.version} serves` : ''
    return { icon: 'circleX', word: `Version ${latestDeployment.version} failed${serves}`, tone: 'bad' }
  }
  if (status === 'PENDING') return { icon: 'circleDashed', word: 'Not deployed yet', tone: 'soft' }
  if (status === 'STOPPED') return { icon: 'circleStop', word: 'Stopped', tone: 'soft' }
  if (sleeping)
    return { icon: 'moon', word: sleepDepth ? `Asleep: ${SLEEP_DEPTHS[sleepDepth].word}` : 'Asleep', tone: 'soft' }
  if (health === 'UNHEALTHY') return { icon: 'circleX', word: `Down, 0 of ${replicas.desired} ready`, tone: 'bad' }
  if (health === 'DEGRADED')
    return { icon: 'triangleAlert', word: `Running, ${replicas.ready} of ${replicas.desired} ready`, tone: 'warn' }
  // Of what has no containers by itself there is nothing to observe: it waits for its next run.
  if (health === 'UNKNOWN' && replicas.desired === 0) return { icon: 'circleCheck', word: 'Ready to run', tone: 'good' }
  if (health === 'UNKNOWN')
    return {
      icon: 'unknown',
      word: observedAt ? `Unknown since ${formatTime(observedAt, 'clock')}` : 'Not observed yet',
      tone: 'warn',
    }
  return { icon: 'circleCheck', word: 'Running', tone: 'good' }
}

/** Picture, word and colour: none of them alone. */
export function Status({ icon, word, tone }: Shown) {
  return (
    <span className={`${styles.status} ${tone}`}>
      <Icon name={icon} className={icon === 'loader' ? styles.turning : undefined} />
      <span>{word}</span>
    </span>
  )
}

const OUTCOMES: Readonly<Record<string, Shown>> = {
  QUEUED: { icon: 'clock', word: 'Queued', tone: 'soft' },
  BUILDING: { icon: 'loader', word: 'Building', tone: 'info' },
  BUILT: { icon: 'package', word: 'Built', tone: 'info' },
  DEPLOYING: { icon: 'loader', word: 'Deploying', tone: 'info' },
  RUNNING: { icon: 'loader', word: 'Running', tone: 'info' },
  CREATING: { icon: 'loader', word: 'Creating', tone: 'info' },
  DELETING: { icon: 'loader', word: 'Deleting', tone: 'info' },
  DEPLOYED: { icon: 'circleCheck', word: 'Deployed', tone: 'good' },
  JOB_READY: { icon: 'circleCheck', word: 'Ready to run', tone: 'good' },
  SUCCEEDED: { icon: 'circleCheck', word: 'Succeeded', tone: 'good' },
  AVAILABLE: { icon: 'circleCheck', word: 'Available', tone: 'good' },
  FAILED: { icon: 'circleX', word: 'Failed', tone: 'bad' },
  TIMED_OUT: { icon: 'circleX', word: 'Timed out', tone: 'bad' },
  CANCELLED: { icon: 'circleStop', word: 'Cancelled', tone: 'soft' },
}

/** Of an operation, a deployment, a run or a backup: its status in a word. */
export const outcomeOf = (status: string): Shown =>
  OUTCOMES[status] ?? { icon: 'unknown', word: wordsOf(status), tone: 'soft' }

/** `BEFORE_RESTORE` as "Before restore". */
export function wordsOf(name: string): string {
  const words = name.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
