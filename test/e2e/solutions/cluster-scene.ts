import type { TestCluster } from '../../crash/harness/test-cluster.ts'
import type { Scene } from './tell-story.ts'

export const sceneOf = (cluster: TestCluster): Scene => ({
  docker: cluster.docker,
  ingressUrl: `http://127.0.0.1:${cluster.ports.ingress[0]}`,
  async ok(method, path, body, headers) {
    const { status, text, body: answered } = await cluster.call(method, path, body, headers)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return answered
  },
  async volumesOf(appEnvIds) {
    const { rows } = await cluster.pool.query(
      'SELECT count(*)::int AS count FROM volume WHERE app_env_id = ANY($1) AND deleted_at IS NULL',
      [appEnvIds],
    )
    return rows[0].count
  },
})
