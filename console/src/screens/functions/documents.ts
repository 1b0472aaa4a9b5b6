import { graphql } from '../../graphql/graphql.ts'

export const Invocations = graphql(`
  query Invocations($env: String!, $step: MetricStep!, $metrics: [Metric!]!) {
    appEnv(envName: $env) {
      id status sleeping sleepDepth sleepReason sleepingSince
      replicas { desired running ready }
      resources { zClouds cpu memory }
      functionConfig { minScale maxScale concurrency idleSeconds timeoutSeconds }
    }
    metricSeriesList(envName: $env, metrics: $metrics, step: $step) {
      metric
      points { timestamp value }
    }
  }
`)
