import { z } from 'zod'
import type { AppType } from '../../../src/app-types/app-type.ts'
import { urlsOver } from '../../../src/app-types/connection-urls.ts'

const colour = { name: 'ScratchColour', about: 'Colour of a scratchpad.', values: { RED: 'Red.', BLUE: 'Blue.' } }

const scratchConfig = z
  .strictObject({
    colour: z.enum(['RED', 'BLUE']).default('RED').describe('Colour of the paper.'),
    pages: z.number().int().min(1).max(9).optional().describe('Number of pages.'),
  })
  .describe('Paper of a Scratchpad app.')

/** A type that differs in everything: probed and not routed, twice as many containers as are configured. */
export const scratch: AppType = {
  name: 'SCRATCH',
  title: 'Scratchpad',
  about: 'A program that exists in a test.',
  wireName: 'scratch',
  aliases: ['Scratch'],
  logType: 'SCRATCHPAD_OUTPUT',
  presets: [{ kind: 'VERSIONED', name: 'SCRATCHPAD', versions: ['1', '2'] }],
  defaultPreset: 'SCRATCHPAD',
  workload: {
    kind: 'CONTINUOUS',
    routing: 'TCP',
    probing: (configured) => ({ ...configured, path: '/scratch-ready' }),
    scaling: { replicas: (containers) => 2 * containers, autoscales: false },
  },
  requiresPort: true,
  connectionUrls: urlsOver('scratch'),
  acceptsImage: () => true,
  allowsVolume: false,
  config: {
    field: 'scratchConfig',
    schema: scratchConfig,
    effective: (set) => scratchConfig.parse(set),
    isChangedWithApp: true,
    enums: [colour],
  },
  runs: null,
  checkPlan() {},
  checkAccount() {},
  checkRegion() {},
}
