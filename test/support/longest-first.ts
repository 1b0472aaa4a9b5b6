import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that mostly wait start first, so that files which mostly compute fill the gaps and the end. */
const PROJECTS = ['proofs', 'engine', 'api']

/** A file that takes a minute must not start last. */
const LONGEST = [
  'crash/kills',
  'crash/takeovers',
  'crash/engine-faults',
  'hostile/hostile',
  'idempotency/idempotency',
  'model/model',
  'readme/pasted-blocks',
  'processes/start',
  'supervisor/supervisor',
  'permissions/matrix',
  'e2e/services/services',
  'e2e/point-in-time',
  'e2e/replicas',
  'e2e/engine-images',
  'app-types/preset-builds',
  'docker/docker-runtime',
  'e2e/failing-builds',
  'e2e/backups',
  'e2e/git-builds',
  'e2e/network-repair',
  'e2e/engine-observed',
  'e2e/engine-backups',
  'e2e/killed-backup',
  'e2e/typed-clients',
  'docker/docker-image-builder',
  'e2e/replacement',
  'e2e/functions',
  'e2e/tenants',
  'e2e/build-inputs',
  'e2e/nixpacks',
  'e2e/build-queue',
  'e2e/drift',
  'worker/sleeping-lifecycle',
  'worker/listening',
  'worker/unreachable',
  'e2e/pushed-images',
  'worker/outage',
  'worker/job-runs',
  'parity/parity',
  'recorded/recorded',
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
