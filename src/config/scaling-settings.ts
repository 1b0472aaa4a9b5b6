import { count, seconds, whole } from './setting-types.ts'

/** Settings of apps that sleep while they get no requests. */
export const SCALING_SETTINGS = {
  BERTH_WAKE_QUEUE_REQUESTS: count(1000, 1_000_000).describe(
    'Maximum number of requests per app and ingress that wait for a container of an app that scales to zero; more are answered with 503.',
  ),
  BERTH_WAKE_QUEUE_MB: count(16, 10_000).describe(
    'Memory in MB per app and ingress for requests that wait for a container of an app that scales to zero. Bodies are read when there is one; of each, at most 64 KB count.',
  ),
  BERTH_WAKE_QUEUE_SECONDS: seconds(60, 3600).describe(
    'How long a request waits for a container of an app that scales to zero, before it is answered with 503.',
  ),
  BERTH_FROZEN_MB: whole(1024, 0, 10_000_000).describe(
    'Memory in MB that frozen containers of sleeping apps may hold, as last measured, else by their limits; beyond it, those that were used least recently are stopped. 0: none is frozen.',
  ),
  BERTH_FROZEN_SECONDS: seconds(3600, 2_592_000).describe(
    'How long the container of a sleeping app stays frozen, in memory, before it is stopped.',
  ),
  BERTH_FUNCTION_NETWORKS: whole(32, 0, 1000).describe(
    'Network connections that are held on each engine for containers which sleep, so that they wake sooner. Each is an idle container of a few MB; apps beyond the number wake more slowly. 0: none.',
  ),
  BERTH_STOPPED_SECONDS: seconds(86_400, 31_536_000).describe(
    'How long the stopped container of a sleeping app is kept before it is removed.',
  ),
}
