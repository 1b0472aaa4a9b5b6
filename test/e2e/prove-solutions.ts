// npm run prove -- solutions [--only node-red,wordpress,kills --passes 3]     solutions installed for real, and under kills
import { parseArgs } from 'node:util'
import { proveOnTestCluster } from '../crash/harness/prove-on-test-cluster.ts'
import { proveSolutionKills } from '../crash/solution-kills.ts'
import { sceneOf } from './solutions/cluster-scene.ts'
import { STORIES } from './solutions/stories.ts'
import { tellStory } from './solutions/tell-story.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, passes: { type: 'string', default: '3' } } })
const only = values.only?.split(',')
const names = [...STORIES.map(({ slug }) => slug), 'kills']
const unknown = only?.filter((name) => !names.includes(name)) ?? []
if (unknown.length > 0) throw new Error(`There is no ${unknown.join()}; there are ${names.join()}`)
const log = (line: string) => console.log(line)

let failed = 0
async function prove(name: string, run: () => Promise<void>): Promise<void> {
  if (only && !only.includes(name)) return
  const since = performance.now()
  const took = () => `${((performance.now() - since) / 1000).toFixed(0)} s`
  try {
    await run()
    log(`✓ ${name} (${took()})`)
  } catch (error) {
    failed += 1
    log(`✗ ${name} (${took()}): ${error instanceof Error ? error.stack : error}`)
  }
}

const stories = STORIES.filter(({ slug }) => !only || only.includes(slug))
if (stories.length > 0)
  await proveOnTestCluster(
    async (cluster) => {
      const scene = sceneOf(cluster)
      for (const story of stories) await prove(story.slug, () => tellStory(scene, story, log))
    },
    { settings: { BERTH_READY_TIMEOUT_SECONDS: '300' } },
  )
await prove('kills', () => proveSolutionKills({ passesOfEach: Number(values.passes) }, log))
log(failed === 0 ? '✓ holds' : `✗ ${failed} do not hold`)
process.exitCode = failed === 0 ? 0 : 1
