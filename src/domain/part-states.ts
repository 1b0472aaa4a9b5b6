/**
 * Every state of a part of Berth in which something is wrong, with what to do about it: in `/readyz`, in the metric
 * `berth_part_problem`, and those of the database and the disk also as `reason` of a refused call.
 */
export const PART_STATES = {
  STARTING: 'Wait: it is ready once it has read what it needs. If it stays so, read its log.',
  FAILING: 'Read the log of the process: it has the cause.',
  NO_ANSWER: 'Read the log of the process, and see whether its machine is overloaded.',
  PROCESS_AWAY: 'Wait: the supervisor starts it again. If it keeps ending, its log says why.',
  DATABASE_UNREACHABLE:
    'Start PostgreSQL, or correct DATABASE_URL. The embedded one is started again by itself; its log is postgres/log in the data directory.',
  DATABASE_FULL:
    'Make room on the disk of PostgreSQL. Reads go on; writes are refused until there is room, and nothing is lost.',
  DATABASE_READ_ONLY:
    'Make PostgreSQL take changes again (default_transaction_read_only), or point DATABASE_URL at the primary server.',
  DATABASE_SLOW: 'See what keeps PostgreSQL busy: its processors, its disk, or a long transaction (pg_stat_activity).',
  DATABASE_EXHAUSTED:
    'Give PostgreSQL more connections (max_connections) or memory, or lower DATABASE_POOL_SIZE of the processes.',
  DATABASE_REFUSES: 'Correct the user, the password or the name of the database in DATABASE_URL.',
  RIGHTS_MISSING: 'Run the statements that the part `rights` names, as the owner of the tables.',
  SCHEMA_NEWER: 'Restart this process with the newer version of Berth.',
  ENGINE_UNREACHABLE: 'Start the container engine, or correct DOCKER_HOST. What waits for it goes on by itself.',
  ENGINE_UNSUPPORTED:
    'Update the container engine to Docker 20.10 or newer, or point DOCKER_HOST at another one. docs/compatibility.md lists those that are tested.',
  ENGINE_TAKEN:
    'Stop the other Berth and run npm run engine:take-over where work shall go on, or give a copy an engine of its own (DOCKER_HOST).',
  BUILDER_SHARED:
    'Set BERTH_BUILDER=auto, so that each account builds in a container of its own, unless all accounts trust each other.',
  DISK_FULL: 'Make room on the disk of the data directory (BERTH_DATA_DIR).',
  CLOCK_SKEWED: 'Let NTP set the clocks of both machines. Berth takes its time from the database.',
  CLOCK_JUMPED:
    'Let NTP slew the clock instead of setting it. Leases and due times follow the new time; nothing else need be done.',
  REPORTS_FAILING: 'See the parts `rights` and `database`. Reports are sent again every second.',
  TASKS_FAILING:
    'Read the log of the process for the tasks that the part `tasks` names. They are run again by themselves; all others go on.',
  FIREWALL_MISSING: 'Install the rules by hand, as docs/operating.md says, or run the worker as root.',
  PORT_TAKEN: 'End the program that has the port. It is tried again every second.',
} as const

export type PartFault = keyof typeof PART_STATES

/** What a check of a part finds. */
export interface PartState {
  ready: boolean
  /** Why the check failed, or a remark for the operator, in one line. Holds no secrets. */
  reason: string | null
  /** What is wrong; a part that is not ready and names nothing is FAILING. */
  state?: PartFault
  /** Where it is more than what PART_STATES says. */
  nextStep?: string
  /** Not ready, and still of use: reads are answered. It does not take the process out of a load balancer. */
  isServing?: boolean
  /** What the part consists of, for operators. Holds no secrets. */
  details?: readonly object[]
}
