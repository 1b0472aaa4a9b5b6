import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'
import { ROOT } from '../scratch-copy.ts'

const FILE = 'src/app-types/scratch/scratch.ts'
const LIST = 'src/app-types/list.ts'
/** The folder that CONTRIBUTING.md names as an example. What it does at run time is proved beside it. */
const EXAMPLE = join(ROOT, 'test/app-types/scratch/scratch.ts')

export const appType: ChecklistProof = {
  heading: 'An app type',
  follow(copy) {
    copy.write(FILE, readFileSync(EXAMPLE, 'utf8').replaceAll('../../../src/app-types/', '../'))
    copy.replace(LIST, 'functionApp, job]', 'functionApp, job, scratch]', [
      "import { scratch } from './scratch/scratch.ts'",
    ])
  },
  edits: [LIST, FILE],
  expectOutcome({ sdl, openapi, migration }) {
    const { properties } = openapi.components.schemas.CreateAppInput
    expect(properties.appType.enum).toContain('scratch')
    expect(properties.dockerPreset.enum).toContain('SCRATCHPAD')
    expect(properties.scratchConfig).toMatchObject({ type: 'object', description: 'Paper of a Scratchpad app.' })
    expect(openapi.components.schemas.App.properties).toHaveProperty('scratchConfig')
    expect(sdl).toMatch(/^enum AppType \{[^}]*"""A program that exists in a test\."""\n {2}SCRATCH\n/m)
    expect(sdl).toMatch(/^enum LogType \{[^}]*SCRATCHPAD_OUTPUT/m)
    expect(sdl).toMatch(/^input ScratchConfigInput \{[^}]*colour: ScratchColour/m)
    expect(migration).not.toMatch(/"app"|scratch/i)
  },
  forgotten: [
    {
      step: 'a behaviour of the type',
      forget: (copy) => copy.replace(FILE, '  requiresPort: true,\n', ''),
      check: 'types',
      says: /scratch\.ts.*'requiresPort' is missing/,
    },
  ],
}
