import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/domain/ids.ts'
import { baseImageArgs, ensureBuildImages } from '../support/build-images.ts'
import { ensureMeteorImage } from '../support/meteor-image.ts'
import { createPresetBuilder } from '../support/preset-build.ts'
import { ensurePythonImage, findPython } from '../support/python-image.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { repetitions } from '../support/repetitions.ts'
import { PRESET_SOURCES, type PresetSource } from './preset-sources.ts'

const docker = new Docker()
const installationId = newId('ins')
const python = findPython()
const variables = { API_URL: 'https://api.example.com', BUILD_TOKEN: 'only-builds-know-5d41402abc' }
let ordinary: Record<string, string>
let forMeteor: Record<string, string>

beforeAll(async () => {
  const images = await ensureBuildImages(docker)
  const pythonImage = python ? await ensurePythonImage(docker, python) : ''
  ordinary = { ...baseImageArgs(images), PYTHON_IMAGE: pythonImage, PYTHON_BUILD_IMAGE: pythonImage }
  forMeteor = { ...ordinary, NODE_BUILD_IMAGE: await ensureMeteorImage(docker, images.node) }
})

afterAll(() => removeEverything(docker, installationId))

/**
 * One of each kind, and together every package manager; VITE is built by the classic builder below. The Dockerfiles of
 * the others say the same (presets.test.ts).
 */
const FEWEST = ['REMIX', 'NODE_JS_INSTALL_START', 'NODE', 'METEOR_JS', 'PYTHON']
const isChosen = repetitions(
  ({ preset }: PresetSource) => FEWEST.includes(preset),
  () => true,
)
const possible = PRESET_SOURCES.filter(({ preset }) => preset !== 'PYTHON' || python)
const sources = possible.filter(isChosen)

/**
 * For the classic builder, which needs twice the processor time and has fewer features to go wrong: one whose builder and
 * result are different images, and in proofs one of each kind.
 */
const KINDS = repetitions(['VITE'], ['EXPRESS', 'VITE', 'PYTHON'])

describe.each(['buildkit', 'classic'] as const)('by the %s builder', (builder) => {
  const built = builder === 'buildkit' ? sources : possible.filter(({ preset }) => KINDS.includes(preset))
  const presets = createPresetBuilder(docker, builder, installationId)

  test.each(built)(
    'the preset $preset $about builds an image that answers, does not run as root, and has no BUILD variable',
    async ({ preset, files, path, answer }) => {
      const buildArgs = preset.startsWith('METEOR') ? forMeteor : ordinary
      const { id } = await presets.build({ preset, files, variables, buildArgs })
      const asked = await presets.ask(id, path)
      expect(asked.answer).toBe(answer)
      expect(asked.uids.length).toBeGreaterThan(0)
      expect(asked.uids).not.toContain('0')

      const image = docker.getImage(id)
      const [inspected, history] = await Promise.all([image.inspect(), image.history()])
      expect(inspected.Config.User).toMatch(/^(node|101|65534)$/)
      for (const value of Object.values(variables)) {
        expect(JSON.stringify([inspected, history])).not.toContain(value)
      }
    },
    240_000,
  )
})
