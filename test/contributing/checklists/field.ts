import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const RESOURCE = 'src/services/app-env/app-env-fields.ts'
const INPUT = 'src/services/app-env/app-env-input.ts'
const COMMAND = 'src/services/app-env/update-app-env.ts'
const CONFIGURATION = 'src/domain/configuration.ts'
const CHANGES = 'src/domain/pending-changes.ts'
const CONFIGURED = 'src/services/configuration/configured.ts'
const PLAN = 'src/domain/build-plan.ts'
const PLANNED = 'src/services/configuration/build-plan.ts'

/** A field that can be set and that containers and builds read: every step of the checklist applies. */
export const field: ChecklistProof = {
  heading: 'A field',
  follow(copy) {
    copy.addLine('prisma/schema.prisma', 'allowUserCliToken Boolean', '  timeZone         String? @map("time_zone")')
    copy.addLine(
      RESOURCE,
      'preventDestroy: field.column(',
      "  timeZone: field.column('timeZone', text.nullable(), 'Time zone of the containers.'),",
    )
    copy.addLine(
      INPUT,
      'allowUserCliToken: ',
      "  timeZone: text('Time zone of the containers.').nullable().optional(),",
    )
    copy.addLine(
      COMMAND,
      'if (input.startupConfig !== undefined) changes.',
      '  if (input.timeZone !== undefined) changes.timeZone = input.timeZone',
    )
    copy.addLine(CONFIGURATION, 'typeConfig: TypeConfig', '  timeZone?: string | null')
    copy.addLine(
      CHANGES,
      "compare('DEPLOY', 'startupConfig'",
      "  compare('DEPLOY', 'timeZone', old.timeZone ?? null, next.timeZone)",
    )
    copy.addLine(CONFIGURED, 'zClouds: appEnv.zClouds,', '    timeZone: appEnv.timeZone,')
    copy.addLine(PLAN, 'buildArgs: string | null', '  timeZone?: string | null')
    copy.addLine(PLAN, "['buildArgs',", "  ['timeZone', ({ timeZone }) => timeZone ?? null],")
    copy.addLine(PLANNED, 'builder: app.builder,', '    timeZone: appEnv.timeZone,')
  },
  edits: ['prisma/schema.prisma', CONFIGURATION, CHANGES, RESOURCE, INPUT, COMMAND, CONFIGURED, PLAN, PLANNED],
  expectOutcome({ sdl, openapi, migration }) {
    const description = 'Time zone of the containers.'
    expect(migration).toContain('ALTER TABLE "public"."app_env" ADD COLUMN     "time_zone" TEXT;')
    expect(openapi.components.schemas.AppEnv.properties.timeZone).toMatchObject({ description })
    expect(openapi.components.schemas.UpdateAppEnvInput.properties.timeZone).toMatchObject({ description })
    expect(sdl).toMatch(
      /^type AppEnv implements Node \{[^}]*"""Time zone of the containers\."""\n {2}timeZone: String\n/m,
    )
    expect(sdl).toMatch(/^input UpdateAppEnvInput \{[^}]*timeZone: String\n/m)
  },
  forgotten: [
    {
      step: 'its input',
      forget: (copy) =>
        copy.replace(INPUT, "  timeZone: text('Time zone of the containers.').nullable().optional(),\n", ''),
      check: 'types',
      says: /update-app-env\.ts.*Property 'timeZone' does not exist/,
    },
  ],
}
