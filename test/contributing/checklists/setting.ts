import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const FILE = 'src/config/settings.ts'

export const setting: ChecklistProof = {
  heading: 'A setting',
  follow(copy) {
    copy.addLine(
      FILE,
      'PORT: ',
      [
        "  BERTH_SCRATCH_SECONDS: seconds(7, 70).describe('Interval between scratches.'),",
        "  BERTH_SCRATCH_ENGINE: switchable(false).describe('Use the scratch engine.'),",
      ].join('\n'),
    )
  },
  edits: [FILE],
  expectOutcome({ settings }) {
    expect(settings).toContain('| `BERTH_SCRATCH_SECONDS` | `7` | 1–70 s | Interval between scratches. |')
    expect(settings).toContain('| `BERTH_SCRATCH_ENGINE` | `false` | `true`, `false` | Use the scratch engine. |')
  },
  forgotten: [],
}
