import { expect, test } from 'vitest'
import { isLost, type WaitedOperation, waitedMessage, waitedStatus } from '../../src/domain/waited-operation.ts'

type Changes = Partial<Omit<WaitedOperation, 'environment'>> & { environment?: Partial<WaitedOperation['environment']> }

const failed = ({ environment, ...changes }: Changes = {}): WaitedOperation => ({
  id: 'op_1',
  kind: 'DEPLOY_IMAGE',
  status: 'FAILED',
  version: 3,
  reason: 'IMAGE_NOT_FOUND',
  message: 'nginx:alpne was not found in the registry docker.io',
  ...changes,
  environment: {
    status: 'RUNNING',
    isDeleted: false,
    currentVersion: 2,
    isRolledOut: true,
    isServing: true,
    ...environment,
  },
})

const NOT_FOUND = 'Version 3 failed: nginx:alpne was not found in the registry docker.io.'

test.each<[string, Changes]>([
  [`${NOT_FOUND} Version 2 still serves.`, {}],
  [
    `${NOT_FOUND} Nothing serves: no version is deployed yet.`,
    { environment: { status: 'PENDING', currentVersion: null, isServing: false } },
  ],
  [
    `${NOT_FOUND} Nothing serves: the environment is stopped.`,
    { environment: { status: 'STOPPED', isServing: false } },
  ],
  [`${NOT_FOUND} Version 2 should serve, but none of its containers is ready.`, { environment: { isServing: false } }],
  [
    `${NOT_FOUND} Nothing serves until the newer operation has ended.`,
    { environment: { status: 'UPDATING', isServing: false } },
  ],
  [`${NOT_FOUND} Version 2 is still the current one.`, { environment: { isRolledOut: false, isServing: false } }],
  [`${NOT_FOUND} The environment is deleted.`, { environment: { isDeleted: true, isServing: false } }],
  ['Stopping the environment failed: Late! Version 2 still serves.', { kind: 'STOP', version: null, message: 'Late!' }],
  ['Restarting version 2 failed. Version 2 still serves.', { kind: 'RESTART', version: 2, message: null }],
  ['Starting version 2 failed. Version 2 still serves.', { kind: 'START', version: 2, message: null }],
  [
    'Applying the changes failed: Late. Version 2 still serves.',
    { kind: 'APPLY_CHANGES', version: null, message: 'Late' },
  ],
  [
    'Removing the containers failed: Late.',
    { kind: 'DELETE', version: null, message: 'Late', environment: { isDeleted: true } },
  ],
  [
    'Version 3 failed: Container 0 exited with code 3. Version 2 still serves.\ncannot open the safe\nbye',
    { message: 'Container 0 exited with code 3\ncannot open the safe\nbye\n' },
  ],
  ['Version 3 was cancelled on request. Version 2 still serves.', { status: 'CANCELLED', reason: 'CANCELLED_BY_USER' }],
  [
    'Version 3 was cancelled: a newer operation took its place. Version 2 still serves.',
    { status: 'CANCELLED', reason: 'SUPERSEDED' },
  ],
  [
    'Version 3 is still in progress, and the wait is over. So far: Waiting for a container engine. Read operation op_1 for its outcome.',
    { status: 'QUEUED', reason: 'ENGINE_UNREACHABLE', message: 'Waiting for a container engine' },
  ],
  [
    'Version 3 is still in progress, and the wait is over. Read operation op_1 for its outcome.',
    { status: 'RUNNING', reason: null, message: null },
  ],
  ['Version 3 is deployed', { status: 'SUCCEEDED', message: null }],
  ['Version 2 is restarted', { status: 'SUCCEEDED', message: null, kind: 'RESTART', version: 2 }],
  ['Version 2 is started', { status: 'SUCCEEDED', message: null, kind: 'START', version: 2 }],
  ['The environment is stopped', { status: 'SUCCEEDED', message: null, kind: 'STOP', version: null }],
  ['The changes are applied', { status: 'SUCCEEDED', message: null, kind: 'APPLY_CHANGES', version: null }],
  ['The containers are removed', { status: 'SUCCEEDED', message: null, kind: 'DELETE', version: null }],
  ['Version 3 is deployed. nginx:alpne was not found in the registry docker.io', { status: 'SUCCEEDED' }],
])('%s', (message, changes) => {
  expect(waitedMessage(failed(changes))).toBe(message)
})

test('an operation that waits for a worker is in progress, and only failed and cancelled ones are lost', () => {
  const statuses = (['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const).map(waitedStatus)
  expect(statuses).toEqual(['RUNNING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'])
  expect(statuses.map(isLost)).toEqual([false, false, false, true, true])
})
