import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that mostly wait start first, so that files which mostly compute fill the gaps and the end. */
const PROJECTS = ['proofs', 'engine', 'api']

/** A file that takes a minute must not start last. */
const LONGEST = [
  'permissions/matrix',
  'crash/kills',
  'crash/takeovers',
  'crash/engine-faults',
  'readme/pasted-blocks',
  'hostile/hostile',
  'supervisor/supervisor',
  'processes/start',
  'idempotency/idempotency',
  'model/model',
  'e2e/services/services',
  'docker/docker-runtime',
  'e2e/point-in-time',
  'e2e/replicas',
  'e2e/backups',
  'worker/job-runs',
  'e2e/functions',
  'e2e/failing-builds',
  'docker/docker-image-builder',
  'e2e/git-builds',
  'e2e/typed-clients',
  'app-types/preset-builds',
  'e2e/build-inputs',
  'worker/unreachable',
  'e2e/engine-images',
  'e2e/engine-backups',
  'e2e/killed-backup',
  'e2e/nixpacks',
  'e2e/service-observed',
  'e2e/network-repair',
  'worker/outage',
  'docker/sandbox',
  'e2e/pushed-images',
  'e2e/replacement',
  'e2e/build-queue',
  'e2e/tenants',
  'e2e/drift',
  'parity/parity',
  'recorded/recorded',
  'sign-in/pages',
  'contributing/followed-checklists',
  'builder/time',
  'builder/hostile',
  'database/embedded',
]

/** Orders files by project, because a process that stays with its project keeps its loaded modules. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => projectRank(a) - projectRank(b) || fileRank(a) - fileRank(b))
  }
}

const projectRank = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name)

function fileRank({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return rank < 0 ? LONGEST.length : rank
}
