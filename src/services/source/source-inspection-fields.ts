import { z } from 'zod'
import { presetNames } from '../../app-types/wire-names.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { EXAMPLE_TIME, exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { SourceInspection, SourceInspectionStatus } from '../../storage/database/generated/prisma/client.ts'

export const sourceInspectionStatus = enumeration<SourceInspectionStatus>(
  'SourceInspectionStatus',
  'Progress of the inspection of a source.',
  {
    QUEUED: 'A worker reads the source, or soon will.',
    SUCCEEDED: 'The source was read.',
    FAILED: 'The source could not be read; `reason` and `message` say why.',
  },
)

const field = fieldsOf<SourceInspection>()

export const sourceInspection = resource({
  name: 'SourceInspection',
  id: 'SourceInspection',
  description: 'What a repository looks like to builds, before there is an app of it. Kept for an hour.',
  examples: {
    inspectionId: exampleId('insp'),
    url: 'https://github.com/acme/shop.git',
    branch: 'main',
    contextDir: '.',
    status: 'SUCCEEDED',
    commit: '8f1c2d3a90bb4e7f6a5b4c3d2e1f00112233aabb',
    preset: presetNames()[1] ?? null,
    presetVersion: '22',
    sign: 'package.json with next',
    problem: null,
    dockerfilePath: null,
    composePath: null,
    startCommand: '["npm", "start"]',
    ports: [3000],
    reason: null,
    message: null,
    endedAt: EXAMPLE_TIME,
  },
  fields: {
    inspectionId: field.column('id', text, 'Id of the inspection.', { inGraphQL: { name: 'id' } }),
    accountId: field.column('accountId', text, 'Id of the account that asked for the inspection.'),
    url: field.column('url', text, 'URL that the repository is cloned from.'),
    branch: field.column('branch', text.nullable(), 'Branch that is inspected; null for the default branch.'),
    contextDir: field.column('contextDir', text, 'Folder of the source that would be built.'),
    status: field.column('status', sourceInspectionStatus.type, 'Progress of the inspection.'),
    commit: field.column('commit', text.nullable(), 'Id of the commit that was read; null before.'),
    preset: field.column(
      'preset',
      text.nullable(),
      'Preset (dockerPreset) that the files of the source show; null when they show none.',
    ),
    presetVersion: field.column(
      'presetVersion',
      text.nullable(),
      'Version of the preset that is built unless another is chosen.',
    ),
    sign: field.column('sign', text.nullable(), 'File, and what it holds, by which the preset was found.'),
    problem: field.column('problem', text.nullable(), 'Reason why no preset builds the source; null when one does.'),
    dockerfilePath: field.column(
      'dockerfilePath',
      text.nullable(),
      'Path of the Dockerfile in the source, which comes before a preset; null when there is none.',
    ),
    composePath: field.column(
      'composePath',
      text.nullable(),
      'Path of the compose file in the source, which installCompose takes; null when there is none.',
    ),
    startCommand: field.column(
      'startCommand',
      text.nullable(),
      'Command that containers start, in the words of the Dockerfile: the one of the source, or the one that the preset writes. Null when it names none.',
    ),
    ports: field.column('ports', z.array(whole), 'Ports that this Dockerfile names by EXPOSE.'),
    reason: field.column('reason', text.nullable(), 'Code of the reason why the source could not be read.'),
    message: field.column('message', text.nullable(), 'Message about why the source could not be read.'),
    createdAt: field.column('createdAt', time, 'Time at which the inspection was requested.'),
    endedAt: field.column('endedAt', time.nullable(), 'Time at which the source was read; null before.'),
  },
})
