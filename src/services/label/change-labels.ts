import type { z } from 'zod'
import { invalidField } from '../../domain/errors.ts'
import { type Label, MAX_LABELS } from '../../domain/labels.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { labelChanges } from './label-input.ts'

type Sent = z.output<typeof labelChanges> | undefined

/** The labels of one app or environment. */
interface Store {
  present(): Promise<Label[]>
  remove(keys: string[]): Promise<unknown>
  add(labels: Label[]): Promise<unknown>
}

/** Of an app that the transaction has locked. True when any has changed. */
export const changeAppLabels = (
  { appLabel }: Transaction,
  { id: appId, accountId }: { id: string; accountId: string },
  sent: Sent,
): Promise<boolean> =>
  changeLabels(sent, {
    present: () => appLabel.findMany({ where: { appId } }),
    remove: (keys) => appLabel.deleteMany({ where: { appId, key: { in: keys } } }),
    add: (labels) => appLabel.createMany({ data: labels.map(({ key, value }) => ({ accountId, appId, key, value })) }),
  })

/** Of an environment that the transaction has locked. True when any has changed. */
export const changeAppEnvLabels = (
  { appEnvLabel }: Transaction,
  { id: appEnvId, accountId }: { id: string; accountId: string },
  sent: Sent,
): Promise<boolean> =>
  changeLabels(sent, {
    present: () => appEnvLabel.findMany({ where: { appEnvId } }),
    remove: (keys) => appEnvLabel.deleteMany({ where: { appEnvId, key: { in: keys } } }),
    add: (labels) =>
      appEnvLabel.createMany({ data: labels.map(({ key, value }) => ({ accountId, appEnvId, key, value })) }),
  })

async function changeLabels(sent: Sent, store: Store): Promise<boolean> {
  if (sent === undefined) return false
  const before = new Map((await store.present()).map(({ key, value }) => [key, value]))
  const wanted = sent ?? Object.fromEntries([...before.keys()].map((key) => [key, null]))
  const changed = Object.entries(wanted).filter(([key, value]) => (before.get(key) ?? null) !== value)
  const added = changed.flatMap(([key, value]) => (value === null ? [] : [{ key, value }]))
  const replaced = changed.map(([key]) => key).filter((key) => before.has(key))
  const count = before.size - replaced.length + added.length
  if (count > MAX_LABELS)
    throw invalidField('labels', `would become ${count} labels, of which ${MAX_LABELS} are allowed`)
  // A changed label is removed and added: the audit log then knows its key.
  if (replaced.length > 0) await store.remove(replaced)
  if (added.length > 0) await store.add(added)
  return changed.length > 0
}
