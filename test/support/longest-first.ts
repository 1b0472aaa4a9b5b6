import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that mostly wait start first, so that files which mostly compute fill the gaps and the end. */
const PROJECTS = ['proofs', 'shipped-apart', 'shipped', 'main-path', 'engine', 'long', 'quick']

/** A file that takes long must not start last: by what each takes in a whole run. */
const LONGEST = [
  'runtime/docker-runtime',
  'crash/kills',
  'services/services',
  'parity/promises',
  'parity/parity',
  'images/own-builder',
  'e2e/replicas',
  'e2e/point-in-time',
  'recorded/recorded',
  'e2e/functions',
  'crash/engine-faults',
  'http/processor-time',
  'permissions/matrix',
  'crash/takeovers',
  'e2e/backups',
  'builder/hostile',
  'builder/time',
  'http/endless-bodies',
  'worker/outage',
  'e2e/failing-builds',
  'worker/job-runs',
  'contributing/followed-checklists',
  'hostile/hostile',
  'images/docker-image-builder',
  'e2e/network-repair',
  'readme/pasted-blocks',
  'app-types/preset-builds',
  'e2e/git-builds',
  'worker/unreachable',
  'e2e/pushed-images',
  'e2e/engine-backups',
  'webhooks/webhooks',
  'e2e/compose',
  'e2e/solutions',
  'e2e/build-inputs',
  'e2e/engine-images',
  'e2e/replacement',
  'e2e/push-to-deploy',
  'worker/deploy',
  'e2e/service-observed',
  'e2e/outcome',
  'docker/replica-networks',
  'idempotency/idempotency',
  'e2e/nixpacks',
  'worker/sleeping-lifecycle',
  'database/embedded',
  'contracts/memory-engine',
  'worker/settings',
  'sign-in/pages',
  'e2e/hostile-builds',
  'e2e/build-queue',
  'spec/patch-app',
  'worker/autoscaling',
  'e2e/tenants',
  'docker/build',
  'processes/start',
  'processes/doctor',
  'processes/durable-files',
  'docker/network-holders',
  'worker/listening',
  'e2e/release-command',
  'tcp-flood/tcp-flood',
  'worker/job-queue',
  'model/model',
  'worker/region-engines',
  'logs/builds',
  'links/signed-links',
  'permissions/named-things',
  'permissions/references',
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
