import { applyRotationToApp, referByApp } from './app-steps.ts'
import { backUp, restoreIntoNew, verify } from './backup-steps.ts'
import { expectNothingLeft, runCycles } from './clean-up-steps.ts'
import { reachFromHost } from './external-steps.ts'
import { attachKept, deleteAndKeep, expectForeignRefused } from './kept-volume-steps.ts'
import { apply, create, harm, kept, loseWithoutVolume, survive } from './life-steps.ts'
import { rotate, rotateInterrupted, supersedeRotation } from './rotation-steps.ts'
import { expectHidden, expectStrangerOutside } from './secrecy-steps.ts'
import type { Step } from './step.ts'
import { expectOtherChangesRefused, failThenUpgrade, hasUpgrade } from './upgrade-steps.ts'

/** In this order, of each engine. A step that needs a new one between others is one line more. */
export const STEPS: readonly Step[] = [
  { name: 'created, its worker killed meanwhile', isTested: true, run: create },
  { name: '10,000 rows by internalUrl', isTested: true, run: (story) => story.write() },
  { name: 'rows by externalUrl, from the host', isTested: true, run: reachFromHost },
  { name: 'an app refers to it', isTested: true, run: referByApp },
  { name: 'redeployed', isTested: false, run: kept((story) => story.operate('redeploy')) },
  {
    name: 'stopped and started',
    isTested: true,
    run: kept(async (story) => {
      await story.operate('stop')
      await story.operate('start')
    }),
  },
  { name: 'settings applied', isTested: true, run: kept((story) => apply(story, 1)) },
  { name: 'redeployed, worker killed', isTested: false, run: survive('redeploy', 'container.started') },
  { name: 'restarted, worker killed', isTested: true, run: survive('restart', 'container.started') },
  { name: 'stopped, worker killed', isTested: false, run: survive('stop', 'container.stopped', { hasStopped: true }) },
  { name: 'started, worker killed', isTested: false, run: survive('start', 'container.created') },
  {
    name: 'settings applied, worker killed',
    isTested: false,
    run: survive('apply-changes', 'container.removed', { settings: 2 }),
  },
  { name: 'container killed', isTested: true, run: kept((story) => harm(story, 'container')) },
  { name: 'process killed', isTested: false, run: kept((story) => harm(story, 'process')) },
  { name: 'credentials rotated', isTested: false, run: rotate },
  { name: 'rotated, worker killed before', isTested: false, run: rotateInterrupted('passwords.asked') },
  { name: 'rotated, worker killed after', isTested: true, run: rotateInterrupted('passwords.set') },
  { name: 'the app has a change, and applies it', isTested: true, run: applyRotationToApp },
  { name: 'rotation superseded, completed', isTested: true, run: supersedeRotation },
  { name: 'other account: no name, no address', isTested: true, run: expectStrangerOutside },
  { name: 'downgrade and major upgrade: 409', isTested: true, run: expectOtherChangesRefused },
  { name: 'upgrade fails, then succeeds', isTested: true, run: failThenUpgrade, isSkipped: hasUpgrade },
  { name: 'without a volume, loses its rows', isTested: true, run: loseWithoutVolume },
  { name: 'backed up, worker killed', isTested: true, run: backUp },
  { name: 'backup verified, worker killed', isTested: false, run: verify },
  { name: 'secrets are nowhere else', isTested: true, run: expectHidden },
  { name: 'deleted, worker killed: volume kept', isTested: true, run: deleteAndKeep },
  { name: 'volume refused elsewhere', isTested: true, run: expectForeignRefused },
  { name: 'volume attached: rows, credentials', isTested: true, run: attachKept },
  { name: 'deleted, restored into a new one', isTested: false, run: restoreIntoNew },
  { name: 'rotated after the restore', isTested: false, run: rotate },
  { name: 'created and deleted, again and again', isTested: false, run: runCycles },
  { name: 'nothing is left', isTested: true, run: expectNothingLeft },
]
