import { expect } from 'vitest'
import type { AnyCommand } from '../../src/calls/command.ts'

interface Entry {
  action: string
  details: { fieldChanges?: { before: unknown; after: unknown }[] }
}

/** Commands that create something, which was nothing before: details and target say what. */
const CREATES: ReadonlySet<string> = new Set([
  'createApp',
  'createCredential',
  'createExec',
  'createGitHook',
  'createInvitation',
  'createJobRun',
  'retryJobRun',
  'createPlan',
  'createRegion',
  'createToken',
  'createTunnel',
  'createWebhook',
  'inspectSource',
  'downloadBackup',
])

/** Calls that change nothing which is told, and why; by the title of their case. */
const CHANGES_NOTHING: Readonly<Record<string, string>> = {
  setCurrentAccount: 'its details name the account; the one before may be one that readers have nothing to do with',
  testWebhook: 'a worker sends the event, and changes nothing of the webhook',
  validateHost: 'a worker is asked to look at the host soon, and changes what it finds',
  clearBuildCache: 'a worker clears the cache, of which nobody has set anything',
  testCredential: 'the registry gives no answer, as it gave none before',
  'installSolution that goes on': 'what has been created already stays as it is',
  'applyChanges with nothing pending': 'there is nothing to apply',
  'changeScaling by the load no more': 'the load has not scaled it before',
}

/** The audit entry of whatever updates or deletes something says what that was before, and what it is after. */
export function expectAuditedChanges(title: string, { name }: AnyCommand, after: unknown): void {
  const entries = (after as { audit_entry: Entry[] | null }).audit_entry ?? []
  const changes = entries.findLast(({ action }) => action === name)?.details.fieldChanges ?? []
  for (const { before, after: now } of changes) if (now !== '***SECRET***') expect(before).not.toEqual(now)
  const hasReason = CREATES.has(name) || title in CHANGES_NOTHING
  expect({ title, isTold: changes.length > 0 || hasReason }).toEqual({ title, isTold: true })
  // A reason that is none any more goes.
  if (title in CHANGES_NOTHING) expect({ title, changes }).toEqual({ title, changes: [] })
}
