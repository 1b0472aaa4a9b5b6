import { graphql } from '../../graphql/graphql.ts'

/** Series of a plot’s metrics: those that are split by version or container, and those that are not. */
export const MetricSeriesOf = graphql(`
  query MetricSeriesOf(
    $env: String!, $from: DateTime!, $to: DateTime!, $step: MetricStep!
    $whole: [Metric!]!, $hasWhole: Boolean!, $split: [Metric!]!, $by: MetricSplit, $hasSplit: Boolean!
  ) {
    whole: metricSeriesList(envName: $env, metrics: $whole, from: $from, to: $to, step: $step) @include(if: $hasWhole) {
      metric contentId containerName version points { timestamp value }
    }
    split: metricSeriesList(envName: $env, metrics: $split, by: $by, from: $from, to: $to, step: $step) @include(if: $hasSplit) {
      metric contentId containerName version points { timestamp value }
    }
  }
`)

/** When each version began to serve, and what the engine of a managed service reports besides. */
export const MetricContext = graphql(`
  query MetricContext($env: String!) {
    deployments(envName: $env, first: 50) { nodes { id version status createdAt deployedAt } }
    metrics(envName: $env) {
      allocated { cpu memory }
      serviceMetrics { name description unit }
    }
  }
`)

export const Containers = graphql(`
  query Containers($env: String!) {
    pods(envName: $env) {
      podId name contentId nodeName status containerReady isReplica replicationLagSeconds restartCount startedAt finishedAt
      resources { cpu memory }
      lastTermination { exitCode finishedAt outOfMemory reason }
      deployment { id version }
    }
  }
`)

/** The last measurement of each container. */
export const ContainerUse = graphql(`
  query ContainerUse($env: String!, $from: DateTime!) {
    metricSeriesList(envName: $env, metrics: [CPU_USAGE, MEMORY_USAGE], by: CONTAINER, from: $from, step: ONE_MINUTE) {
      metric containerName points { timestamp value }
    }
  }
`)

/** Comes with each measurement. */
export const Measured = graphql(`
  subscription Measured($env: String!) {
    metrics(envName: $env) { measuredAt }
  }
`)
