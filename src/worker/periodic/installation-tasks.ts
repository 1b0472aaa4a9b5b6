import { createDnsRecords } from '../../network/addresses/dns-records.ts'
import { clearBuildDirectories } from '../builds/build-directory.ts'
import { inspectSources, sweepInspections } from '../builds/inspect-sources.ts'
import { reportDueStatuses } from '../commit-statuses/report-status.ts'
import type { InstallationContext } from '../context/worker-context.ts'
import {
  deleteExpiredAnswers,
  deleteOldCounts,
  deleteOldLoads,
  sweepOauth,
  sweepSignIns,
  sweepUploads,
} from '../housekeeping/delete-expired.ts'
import { sweepBackups, sweepWalArchives } from '../housekeeping/sweep-backups.ts'
import { validateDueHosts } from '../housekeeping/validate-hosts.ts'
import { deleteOldLogs, trimLogs } from '../logs/delete-old-logs.ts'
import { WakeProblem } from '../request-scaling/wake-problem.ts'
import { sweepSecondsOf } from './engine-tasks.ts'
import type { PeriodicTask } from './periodic-tasks.ts'

const SELDOM_SECONDS = 60
/** What has ended elsewhere, by a cancellation say, is late by at most this much. */
const AWAITED_SECONDS = 5
const HOSTS_SECONDS = 1
/** Stores of several accounts may be slow, one after the other. */
const STORES_SECONDS = 3_600
const WAKE_PROBLEM_SECONDS = 5

/** Tasks that are woken when this worker has ended an operation. */
export const ENDED_OPERATION_TASKS = ['installations', 'commit-statuses'] as const

/** Everything periodic that needs no engine, and goes on while one is away. Each worker does all of it. */
export function installationTasks(context: InstallationContext): PeriodicTask[] {
  const { database, config } = context
  const sweepSeconds = sweepSecondsOf(config)
  const often = { everySeconds: sweepSeconds }
  const seldom = { everySeconds: Math.max(SELDOM_SECONDS, sweepSeconds), firstAfterSeconds: sweepSeconds }
  const stored = { timeoutSeconds: STORES_SECONDS }
  const awaited = { everySeconds: AWAITED_SECONDS, firstAfterSeconds: 0 }
  const records = createDnsRecords(config.BERTH_DNS_SERVERS)
  const wakeProblem = new WakeProblem()
  return [
    { name: 'installations', ...awaited, run: () => context.advanceInstallations() },
    { name: 'commit-statuses', ...awaited, run: () => reportDueStatuses(context) },
    { name: 'source-inspections', everySeconds: HOSTS_SECONDS, run: (signal) => inspectSources(context, signal) },
    { name: 'hosts', everySeconds: HOSTS_SECONDS, run: () => validateDueHosts(context, records) },
    { name: 'wake-problem', everySeconds: WAKE_PROBLEM_SECONDS, run: () => wakeProblem.note(database) },
    { name: 'backups', ...often, ...stored, run: (signal) => sweepBackups(context, signal) },
    { name: 'log-archives', ...often, ...stored, run: (signal) => sweepWalArchives(context, signal) },
    { name: 'due-backups', ...often, run: () => context.beginDueBackups() },
    { name: 'expired-app-envs', ...often, run: () => context.deleteExpiredAppEnvs() },
    { name: 'expired-answers', ...seldom, run: () => deleteExpiredAnswers(database) },
    { name: 'oauth', ...seldom, run: () => sweepOauth(context) },
    { name: 'sign-ins', ...seldom, run: () => sweepSignIns(database) },
    { name: 'rate-counts', ...seldom, run: () => deleteOldCounts(database) },
    { name: 'old-logs', ...seldom, run: () => deleteOldLogs(database) },
    { name: 'log-size', ...seldom, run: () => trimLogs(database, config.BERTH_LOG_KEPT_MB) },
    { name: 'build-directories', ...seldom, run: () => clearBuildDirectories(config, database) },
    { name: 'old-inspections', ...seldom, run: () => sweepInspections(context) },
    { name: 'uploads', ...seldom, run: () => sweepUploads(config, database) },
    { name: 'request-loads', ...seldom, run: () => deleteOldLoads(database) },
  ]
}
