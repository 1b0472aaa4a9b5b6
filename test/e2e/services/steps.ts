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
  { name: 'created, its worker killed meanwhile', tested: 'EACH', run: create },
  { name: '10,000 rows by internalUrl', tested: 'EACH', run: (story) => story.write() },
  { name: 'rows by externalUrl, from the host', tested: 'FIRST', run: reachFromHost },
  { name: 'an app refers to it', tested: 'FIRST', run: referByApp },
  { name: 'redeployed', tested: 'NONE', run: kept((story) => story.operate('redeploy')) },
  {
    name: 'stopped and started',
    tested: 'FIRST',
    run: kept(async (story) => {
      await story.operate('stop')
      await story.operate('start')
    }),
  },
  { name: 'settings applied', tested: 'FIRST', run: kept((story) => apply(story, 1)) },
  { name: 'redeployed, worker killed', tested: 'FIRST', run: survive('redeploy', 'container.started') },
  { name: 'stopped, worker killed', tested: 'NONE', run: survive('stop', 'container.stopped', { hasStopped: true }) },
  { name: 'started, worker killed', tested: 'NONE', run: survive('start', 'container.created') },
  {
    name: 'settings applied, worker killed',
    tested: 'NONE',
    run: survive('apply-changes', 'container.removed', { settings: 2 }),
  },
  { name: 'container killed', tested: 'FIRST', run: kept((story) => harm(story, 'container')) },
  { name: 'process killed', tested: 'NONE', run: kept((story) => harm(story, 'process')) },
  { name: 'credentials rotated', tested: 'NONE', run: rotate },
  { name: 'rotated, worker killed before', tested: 'NONE', run: rotateInterrupted('passwords.asked') },
  { name: 'rotated, worker killed after', tested: 'EACH', run: rotateInterrupted('passwords.set') },
  { name: 'the app has a change, and applies it', tested: 'FIRST', run: applyRotationToApp },
  { name: 'rotation superseded, completed', tested: 'FIRST', run: supersedeRotation },
  { name: 'other account: no name, no address', tested: 'FIRST', run: expectStrangerOutside },
  { name: 'downgrade and major upgrade: 409', tested: 'FIRST', run: expectOtherChangesRefused },
  { name: 'upgrade fails, then succeeds', tested: 'EACH', run: failThenUpgrade, isSkipped: hasUpgrade },
  { name: 'without a volume, loses its rows', tested: 'FIRST', run: loseWithoutVolume },
  { name: 'backed up, worker killed', tested: 'FIRST', run: backUp },
  { name: 'backup verified, worker killed', tested: 'NONE', run: verify },
  { name: 'secrets are nowhere else', tested: 'FIRST', run: expectHidden },
  { name: 'deleted, worker killed: volume kept', tested: 'EACH', run: deleteAndKeep },
  { name: 'volume refused elsewhere', tested: 'FIRST', run: expectForeignRefused },
  { name: 'volume attached: rows, credentials', tested: 'EACH', run: attachKept },
  { name: 'deleted, restored into a new one', tested: 'FIRST', run: restoreIntoNew },
  { name: 'rotated after the restore', tested: 'NONE', run: rotate },
  { name: 'created and deleted, again and again', tested: 'FIRST', run: runCycles },
  { name: 'nothing is left', tested: 'EACH', run: expectNothingLeft },
]
