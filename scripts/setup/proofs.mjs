// What `npm run prove` knows. A proof repeats at length what the tests show once.
import { SetupError } from './step.mjs'

/** How a proof is run (like the commands of berth.mjs), and what it shows, in one line; more is in docs/testing.md. */
export const PROOFS = {
  backups: {
    program: ['test/storage/backups/prove-backups.ts'],
    shows: '2 GB through a backup and back, in bounded memory',
  },
  builds: {
    program: ['test/builds/prove-builds.ts'],
    isCompiled: true,
    engine: 'required',
    shows: 'Builds that take all they can beside an app under load; 200 changes of one character; 50 builds cancelled',
  },
  compose: {
    program: ['test/compose/prove.ts'],
    engine: 'required',
    shows: 'The stack of docker-compose.yml, with images made on this machine',
  },
  cost: {
    program: ['test/storage/reads/prove-cost.ts'],
    shows: 'What 1,000 drawn GraphQL documents cost, against the time that they take',
  },
  database: {
    program: ['test/crash/prove-database.ts'],
    engine: 'required',
    shows: 'PostgreSQL killed under 200 concurrent operations',
  },
  disks: {
    program: ['test/crash/prove-disks.ts'],
    engine: 'required',
    shows: 'Full disks under the database, the data directories and the engine',
  },
  engine: {
    program: ['test/crash/prove-engine.ts'],
    engine: 'required',
    shows: 'An engine that is killed, hangs, or loses its network',
  },
  engines: {
    program: ['test/tested-engines/prove-engines.ts'],
    isCompiled: true,
    engine: 'required',
    shows: 'What an engine can decide, on every engine that is tested',
  },
  events: {
    program: ['test/storage/events/prove-events.ts'],
    shows: '1,000 events by 8 sessions; readers that are disconnected miss none',
  },
  faults: {
    program: ['test/crash/prove-faults.ts'],
    engine: 'required',
    shows: 'Each fault of the database, disks, rights and clocks, and what everything says about it',
  },
  functions: {
    program: ['test/functions/prove-functions.ts'],
    isCompiled: true,
    engine: 'required',
    shows: 'First requests of sleeping functions, scaling from 0 and back, under kills',
  },
  growth: {
    program: ['test/storage/reads/prove-growth.ts'],
    shows: 'Every read at 100, 10,000 and 100,000 apps: time and pages',
  },
  hostile: {
    program: ['test/hostile/prove.ts'],
    engine: 'sought',
    shows: '50,000 fuzzed requests, 10,000 malformed ones, every attack in every field',
  },
  idempotency: {
    program: ['test/calls/idempotency/prove-idempotency.ts'],
    engine: 'required',
    shows: 'Keys, versions, waits and dry runs of every accepted case, under kills',
  },
  jobs: {
    program: ['test/crash/prove-jobs.ts'],
    engine: 'required',
    shows: '500 job runs while workers are killed and an engine is restarted',
  },
  kills: {
    program: ['test/crash/prove-kills.ts'],
    engine: 'required',
    shows: 'SIGKILL at every fault injection point of every operation and build',
  },
  limits: {
    program: ['test/api/http/prove-limits.ts'],
    isCompiled: true,
    engine: 'required',
    shows: 'Five times the rate limit of one token against two API processes',
  },
  logs: {
    program: ['test/logs/prove-logs.ts'],
    engine: 'required',
    shows: '100,000 lines of a container that is removed; its collector killed',
  },
  mistakes: {
    program: ['test/mistakes/prove-mistakes.ts'],
    engine: 'required',
    shows: 'Twelve mistakes of beginners: what Berth says of each, and when',
  },
  model: {
    program: ['test/model/prove-model.ts'],
    engine: 'required',
    shows: '1,000 runs of 30 random calls, explained by a model',
  },
  parsers: {
    program: ['test/ingress/prove-parsers.ts'],
    shows: 'Requests and answers read by llhttp and by the ingress alike',
  },
  pauses: {
    program: ['test/crash/prove-pauses.ts'],
    engine: 'required',
    shows: 'Workers paused past their lease, 100 times',
  },
  readme: {
    program: ['test/readme/prove-readme.ts'],
    engine: 'required',
    shows: 'Every block of the README, pasted twice into each shell on a fresh clone',
  },
  reads: {
    program: ['test/storage/reads/prove-reads.ts'],
    shows: '20,000 drawn GraphQL documents, answered like by Prisma alone',
  },
  repetitions: {
    program: ['test/e2e/prove-repetitions.ts'],
    engine: 'required',
    shows: 'Tests that repeat a case less often in npm run test:all, with every repetition',
  },
  repositories: {
    program: ['test/repositories/prove-repositories.ts'],
    isCompiled: true,
    engine: 'required',
    shows:
      'Repositories as generators of frameworks make them, built and answering on npm start, or refused with the next step',
  },
  server: {
    program: ['test/server/prove-server.ts'],
    shows: 'A server of its own, in a virtual machine: first starts, power cuts, the firewall at boot, a full disk',
  },
  services: {
    program: ['test/e2e/prove-services.ts'],
    engine: 'required',
    shows: 'Every database and broker through its whole life, under kills',
  },
  sigterm: {
    program: ['test/shutdown/prove-sigterm.ts'],
    engine: 'required',
    shows: 'SIGTERM under load with 500 subscriptions',
  },
  solutions: {
    program: ['test/e2e/prove-solutions.ts'],
    isCompiled: true,
    engine: 'required',
    shows: 'Solutions with real programs: installed, used, redeployed, removed, killed',
  },
  subscribers: {
    program: ['bench/run.ts', 'subscribers'],
    shows: '10,000 WebSocket subscribers against a bare graphql-ws',
  },
  // Like npm start: uncompiled, each process that it measures would hold the TypeScript compiler in memory.
  supervisor: {
    program: ['test/supervisor/prove-supervisor.ts'],
    isCompiled: true,
    engine: 'required',
    shows: 'Each process of npm start killed under load: failures, time, memory',
  },
  tcp: {
    program: ['test/tcp-flood/prove-tcp.ts'],
    shows: '10,000 connections at once to the port of a service',
  },
  trust: {
    program: ['test/trust/prove-trust.ts'],
    isCompiled: true,
    engine: 'required',
    shows: "One tenant's input stops nobody else (--neighbour: beside an attack)",
  },
}

/** Returns the proof of a name as a command; null when there is none, after the list was printed. */
export function findProof(name) {
  if (name === undefined) {
    console.log(listOfProofs())
    return null
  }
  const proof = Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined
  if (!proof) throw new SetupError(`There is no proof "${name}". There are:\n\n${listOfProofs()}`)
  return proof
}

function listOfProofs() {
  const width = Math.max(...Object.keys(PROOFS).map((name) => name.length))
  const lines = Object.entries(PROOFS).map(([name, { shows }]) => `  ${name.padEnd(width)}  ${shows}`)
  return `${lines.join('\n')}\n\nnpm run prove -- <name> [options]; docs/testing.md has the options.`
}
