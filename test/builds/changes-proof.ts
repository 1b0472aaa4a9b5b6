import { ensureBuildImages } from '../support/build-images.ts'
import { type BuildStage, beginBuild, endOfBuild } from './build-proof.ts'

const server = (character: string) => `require('node:http').createServer((_, r) => r.end('${character}')).listen(3000)
process.on('SIGTERM', () => process.exit(0))`

/** Sources of the same names, sizes and times, each with one byte changed: each must be the image that then answers. */
export async function changesProof(stage: BuildStage): Promise<void> {
  const { docker, changes, createApp, ask, claim } = stage
  const { node } = await ensureBuildImages(docker)
  const app = await createApp({ isCliDeployment: true })
  const Dockerfile = `FROM ${node}\nCOPY server.js /\nCMD ["node", "/server.js"]\n`
  const images = new Set<string>()
  let [failed, stale] = [0, 0]
  const since = performance.now()
  for (let change = 0; change < changes; change += 1) {
    const character = String.fromCharCode(0x4e00 + change)
    const operationId = await beginBuild(stage, app, { Dockerfile, 'server.js': server(character) })
    const { status } = await endOfBuild(stage, operationId)
    if (status !== 'SUCCEEDED') failed += 1
    const { text } = await ask(app.host)
    if (text !== character) stale += 1
    const [replica] = await docker.listContainers({ filters: { label: [`berth.env=${app.appEnvId}`] } })
    images.add(replica?.ImageID ?? '')
  }
  const each = (performance.now() - since) / changes / 1000
  claim(
    failed === 0 && stale === 0 && images.size === changes,
    `${changes} changes of one character: ${images.size} images, ${failed} builds failed, ${stale} answers of an older one; ${each.toFixed(1)} s each`,
  )
}
