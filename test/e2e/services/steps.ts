import { applyRotationToApp, referByApp } from './app-steps.ts'
import { expectNothingLeft, runCycles } from './clean-up-steps.ts'
import { attachKept, deleteAndKeep, expectForeignRefused } from './kept-volume-steps.ts'
import { apply, create, harm, kept, loseWithoutVolume, survive } from './life-steps.ts'
import { rotate, rotateInterrupted, supersedeRotation } from './rotation-steps.ts'
import { expectHidden, expectStrangerOutside } from './secrecy-steps.ts'
import type { Step } from './step.ts'
import { expectOtherChangesRefused, failThenUpgrade, hasUpgrade } from './upgrade-steps.ts'

/** In this order, of each engine. A step that needs a new one between others is one line more. */
export const STEPS: readonly Step[] = [
  { name: 'created, its worker killed meanwhile', run: create },
  { name: '10,000 rows by internalUrl', run: (story) => story.write() },
  { name: 'an app refers to it', run: referByApp },
  { name: 'redeployed', run: kept((story) => story.operate('redeploy')) },
  {
    name: 'stopped and started',
    run: kept(async (story) => {
      await story.operate('stop')
      await story.operate('start')
    }),
  },
  { name: 'settings applied', run: kept((story) => apply(story, 1)) },
  { name: 'redeployed, worker killed', run: survive('redeploy', 'container.started') },
  { name: 'stopped, worker killed', run: survive('stop', 'container.stopped', { hasStopped: true }) },
  { name: 'started, worker killed', run: survive('start', 'container.created') },
  { name: 'settings applied, worker killed', run: survive('apply-changes', 'container.removed', { settings: 2 }) },
  { name: 'container killed', run: kept((story) => harm(story, 'container')) },
  { name: 'process killed', run: kept((story) => harm(story, 'process')) },
  { name: 'credentials rotated', run: rotate },
  { name: 'the app has a change, and applies it', run: applyRotationToApp },
  { name: 'rotated, worker killed before', run: rotateInterrupted('passwords.asked') },
  { name: 'rotated, worker killed after', run: rotateInterrupted('passwords.set') },
  { name: 'rotation superseded, completed', run: supersedeRotation },
  { name: 'other account: no name, no address', run: expectStrangerOutside },
  { name: 'downgrade and major upgrade: 409', run: expectOtherChangesRefused },
  { name: 'upgrade fails, then succeeds', run: failThenUpgrade, isSkipped: hasUpgrade },
  { name: 'without a volume, loses its rows', run: loseWithoutVolume },
  { name: 'secrets are nowhere else', run: expectHidden },
  { name: 'deleted, worker killed: volume kept', run: deleteAndKeep },
  { name: 'volume refused elsewhere', run: expectForeignRefused },
  { name: 'volume attached: rows, credentials', run: attachKept },
  { name: 'created and deleted, again and again', run: runCycles },
  { name: 'nothing is left', run: expectNothingLeft },
]
