import type { EventType, RecordedEvent } from './event.ts'

/** What a person reads of an event. */
export interface Notice {
  title: string
  text: string
}

interface Circumstances {
  /** CLI name of the environment; null where the event is about none. */
  envName: string | null
  /** The operation before this one had failed. */
  hasRecovered: boolean
}

type Write = (payload: Readonly<Record<string, unknown>>, circumstances: Circumstances) => Notice | null

const said = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise)

/** `DEPLOY_IMAGE` → `Deploy image`. */
const spoken = (kind: unknown): string => {
  const words = said(kind, 'OPERATION').toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * The events that notices announce to people, and their texts. Null: this occurrence is not announced. An event
 * that is added here can be chosen in both APIs.
 */
const NOTICES = {
  'operation.failed': ({ kind, message }, { envName }) => ({
    title: `${spoken(kind)} of ${envName} failed`,
    text: said(message, 'No reason was recorded.'),
  }),
  'operation.succeeded': ({ kind }, { envName, hasRecovered }) =>
    hasRecovered
      ? {
          title: `${envName} has recovered`,
          text: `${spoken(kind)} succeeded, after the operation before it had failed.`,
        }
      : null,
  // What a user did with a host is no news to its account.
  'host.changed': ({ host, status, reason, what }, { envName }) => {
    if (what === 'lost')
      return { title: `${said(host)} was given up`, text: said(reason, `${envName} is not reached by it.`) }
    if (what !== undefined) return null
    if (status === 'VALID') return { title: `${said(host)} is valid`, text: `${envName} is reached by it.` }
    return { title: `${said(host)} is not valid`, text: said(reason, `${envName} is not reached by it.`) }
  },
  'volume.filling': ({ percent, usedMb, diskMb }, { envName }) => ({
    title: `The volume of ${envName} is ${percent} % full`,
    text: `It holds ${usedMb} of ${diskMb} MB. Give it more disk, or remove data.`,
  }),
  'budget.reached': ({ percent, spent, budget, currency, month }) => ({
    title: `${percent} % of the budget of ${month} are spent`,
    text: `So far it is ${spent} of ${budget} ${currency}.`,
  }),
  'webhook.disabled': ({ name, reason }) => ({
    title: `The webhook "${said(name)}" was switched off`,
    text:
      reason === 'GONE'
        ? 'Its receiver says that it is gone.'
        : 'Its receiver has failed for days. Enable it once it works.',
  }),
  'webhook.tested': ({ name }) => ({
    title: `This is a test of the webhook "${said(name)}"`,
    text: 'It was sent on request; nothing has happened to your apps.',
  }),
} satisfies Partial<Record<EventType, Write>>

/** The types of events that notices can announce. */
export const NOTICE_TYPES = Object.keys(NOTICES) as (keyof typeof NOTICES)[]

/** Null when the event is not announced. */
export function noticeOf(event: Pick<RecordedEvent, 'type' | 'payload'>, circumstances: Circumstances): Notice | null {
  const write: Write | undefined = (NOTICES as Partial<Record<EventType, Write>>)[event.type]
  return write?.(event.payload, circumstances) ?? null
}
