import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, flag, json, text } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { PendingChange } from '../../domain/pending-changes.ts'

export const changeKind = enumeration('ChangeKind', 'Effort of applying a pending change.', {
  BUILD: 'The change needs a new build.',
  DEPLOY: 'The change needs new containers.',
  SCALE: 'The change adds or removes containers.',
})

const field = fieldsOf<PendingChange>()

export const pendingChange = resource({
  name: 'PendingChange',
  id: 'PendingChange',
  description: 'A difference between what is configured and what runs.',
  fields: {
    kind: field.column('kind', changeKind.type, 'Effort of applying the change.'),
    field: field.column('field', text, 'Field that differs, such as `port` or `envVars.NAME`.'),
    from: field.column('from', json, 'Value that runs now. Secrets are masked.'),
    to: field.column('to', json, 'Value that is configured. Secrets are masked.'),
  },
})

const hasKind = (wanted: PendingChange['kind']) => (changes: readonly PendingChange[]) =>
  changes.some((change) => change.kind === wanted)

const summary = fieldsOf<readonly PendingChange[]>()

const has = {
  hasBuildChanges: summary.from({}, flag, 'Whether a change needs a new build.', hasKind('BUILD')),
  hasDeployChanges: summary.from({}, flag, 'Whether a change needs new containers.', hasKind('DEPLOY')),
  hasScaleChanges: summary.from({}, flag, 'Whether a change adds or removes containers.', hasKind('SCALE')),
}

const changes = summary.from(
  {},
  z.array(pendingChange.answer.type),
  'Pending changes, one for each field that differs.',
  (all: readonly PendingChange[]) => [...all],
)

export const pendingChanges = resource({
  name: 'PendingChanges',
  description: 'What is configured and does not run yet. `applyChanges` applies it.',
  fields: { ...has, changes },
})
