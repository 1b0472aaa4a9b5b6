import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const FILE = 'src/solutions/catalogue/scratchpad.ts'
const LIST = 'src/solutions/solutions.ts'

const SOLUTION = `import { defineSolution } from '../solution.ts'

export const scratchpad = defineSolution({
  slug: 'scratchpad',
  name: 'Scratchpad',
  description: 'Paper for everybody.',
  category: 'CONTENT',
  revision: 1,
  inputs: [{ name: 'colour', label: 'Colour of the paper', type: 'STRING', default: 'white' }],
  components: [
    { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL' },
    {
      key: 'app',
      name: 'Paper',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'scratch/paper:1.2',
      port: 80,
      dependsOn: ['db'],
      variables: { COLOUR: '{{inputs.colour}}', DATABASE_URL: '{{db.internalUrl}}' },
    },
  ],
  smokeTest: { component: 'app', path: '/', status: 200 },
})
`

export const solution: ChecklistProof = {
  heading: 'A solution',
  follow(copy) {
    copy.write(FILE, SOLUTION)
    copy.addLine(LIST, 'wordpress,', '  scratchpad,', ["import { scratchpad } from './catalogue/scratchpad.ts'"])
  },
  edits: [FILE, LIST],
  expectOutcome({ solutions, migration }) {
    expect(solutions).toContain('## Scratchpad\n\n`scratchpad`: Paper for everybody.')
    expect(solutions).toContain('| `colour` | Colour of the paper | `white` |')
    expect(solutions).toContain('  app["Paper (scratch/paper:1.2)"]\n  app --> db\n')
    expect(migration).not.toMatch(/scratchpad/i)
  },
  forgotten: [
    {
      step: 'its smoke test',
      forget: (copy) => copy.replace(FILE, "  smokeTest: { component: 'app', path: '/', status: 200 },\n", ''),
      check: 'types',
      says: /scratchpad\.ts.*'smokeTest' is missing/s,
    },
  ],
}
