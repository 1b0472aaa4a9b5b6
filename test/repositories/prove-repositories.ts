// npm run prove -- repositories [--only vite-react,nest --both]    repositories as generators of frameworks and people make
// them, built by `npm start` and answering, or refused in words that name the next step
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Docker from 'dockerode'
import { Berth } from '../shipped/support/berth.ts'
import { clientOf } from '../shipped/support/client.ts'
import { EXCEPTIONS } from '../shipped/support/exceptions.ts'
import { userOf } from '../shipped/support/user.ts'
import { baseImageArgs, ensureBuildImages } from '../support/build-images.ts'
import { startGitServer } from '../support/git-server.ts'
import { ensurePythonImage, findPython } from '../support/python-image.ts'
import { GENERATED, type Generated } from './generated.ts'
import { trustingImage } from './trusting-image.ts'

const GENERATE_SECONDS = 180
const { values } = parseArgs({ options: { only: { type: 'string' }, both: { type: 'boolean', default: false } } })
const only = values.only?.split(',')
const chosen = GENERATED.filter(({ name }) => only?.includes(name) ?? true)
const unknown = (only ?? []).filter((name) => !GENERATED.some((one) => one.name === name))
if (unknown.length > 0)
  throw new Error(`There is no ${unknown.join()}; there are ${GENERATED.map(({ name }) => name).join()}`)

const docker = new Docker()
const made = await ensureBuildImages(docker)
const images = { ...made, node: await trustingImage(docker, made.node) }
const python = findPython()
const pythonImage = python && (await trustingImage(docker, await ensurePythonImage(docker, python)))
const bases = {
  ...baseImageArgs(images),
  ...(pythonImage ? { PYTHON_IMAGE: pythonImage, PYTHON_BUILD_IMAGE: pythonImage } : {}),
}
const buildArgs = Object.entries(bases)
  .map(([name, image]) => `${name}=${image}`)
  .join(' ')

const git = await startGitServer()
const berth = await Berth.start({ composition: 'one-command', settings: EXCEPTIONS })
const client = clientOf(berth.address)
const user = userOf(client)

/** Makes the repository in a folder of its own. */
function generate({ command }: Generated): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-repository-'))
  execFileSync('/bin/sh', ['-c', command], {
    cwd: folder,
    timeout: GENERATE_SECONDS * 1000,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, CI: 'true', NG_CLI_ANALYTICS: 'false', NEXT_TELEMETRY_DISABLED: '1' },
  })
  return join(folder, 'app')
}

/** Deploys the folder; the outcome, in words of the API. */
async function deploy(
  name: string,
  folder: string,
  isFromGit: boolean,
): Promise<{ host: string; refusal: string | null }> {
  if (isFromGit) git.commitFolder(name, folder)
  const source = isFromGit ? { gitRepo: git.repository(name) } : { isCliDeployment: true }
  const app = await user.createApp({ ...source, buildArgs }, isFromGit ? { branch: 'main' } : {})
  const { appEnvId, host } = app
  const sent = isFromGit
    ? await client.call('POST', '/app-env/build', { body: { appEnvId }, headers: { prefer: 'wait=300' } })
    : await upload(appEnvId, folder)
  const isDeployed = sent.status < 300 && sent.body.success !== false
  return { host, refusal: isDeployed ? null : String(sent.body.message) }
}

async function upload(appEnvId: string, folder: string) {
  const { uploadUrl, storageKey } = await client.post('/app-env/request-storage-key', {
    appEnvId,
    fileExtension: '.tgz',
  })
  const archive = execFileSync('tar', ['-czf', '-', '-C', folder, '.'], { maxBuffer: 512 * 1024 * 1024 })
  const stored = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(archive) })
  if (!stored.ok) throw new Error(`The upload answered ${stored.status}: ${await stored.text()}`)
  return client.call('POST', '/app-env/notify-code-upload', {
    body: { appEnvId, storageKey },
    headers: { prefer: 'wait=300' },
  })
}

async function judge(one: Generated, folder: string, isFromGit: boolean): Promise<string | null> {
  const { host, refusal } = await deploy(one.name, folder, isFromGit)
  if ('refused' in one.expect)
    return refusal !== null && one.expect.refused.test(refusal) ? null : `is not refused so: ${refusal}`
  if (refusal !== null) return refusal
  const { status, text } = await client.ask(host)
  return status === 200 && one.expect.answers.test(text) ? null : `answers ${status}: ${text.slice(0, 300)}`
}

let failed = 0
try {
  for (const one of chosen) {
    const ways = values.both ? [true, false] : [one.fromGit === true]
    const since = performance.now()
    let folder = ''
    try {
      folder = generate(one)
      for (const isFromGit of ways) {
        const wrong = await judge(one, folder, isFromGit)
        if (wrong !== null) failed += 1
        const seconds = ((performance.now() - since) / 1000).toFixed(0)
        console.log(
          `${wrong === null ? '✓' : '✗'} ${one.name} from ${isFromGit ? 'git' : 'an upload'} (${seconds} s)${wrong ? `: ${wrong}` : ''}`,
        )
      }
    } catch (error) {
      failed += 1
      console.log(`✗ ${one.name}: ${error instanceof Error ? error.message.slice(0, 1000) : String(error)}`)
    } finally {
      if (folder) rmSync(join(folder, '..'), { recursive: true, force: true })
    }
  }
} finally {
  await berth.remove()
  await git.close()
}
console.log(failed === 0 ? `\n✓ ${chosen.length} repositories hold` : `\n✗ ${failed} do not hold`)
process.exitCode = failed === 0 ? 0 : 1
