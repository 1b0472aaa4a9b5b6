import { randomUUID } from 'node:crypto'
import { SAMPLE_SECONDS } from '../../domain/request-scaling.ts'
import { ReportConnection } from '../connections/report-connection.ts'
import type { ReportedTraffic } from './request-counts.ts'

const REPORT = `
  INSERT INTO traffic_sample AS s (app_env_id, at, source, container_name, content_id, status_1xx, status_2xx, status_3xx,
                                   status_4xx, status_5xx, aborted, bytes_in, bytes_out, durations)
  SELECT r."appEnvId", date_bin(interval '${SAMPLE_SECONDS} seconds', now(), 'epoch'), $1, r."containerName", r."contentId",
         r.classes[1], r.classes[2], r.classes[3], r.classes[4], r.classes[5], r.aborted, r."bytesIn", r."bytesOut", r.durations
    FROM jsonb_to_recordset($2::jsonb) AS r("appEnvId" text, "containerName" text, "contentId" text, classes int[],
                                            aborted int, "bytesIn" bigint, "bytesOut" bigint, durations int[])
  ON CONFLICT (app_env_id, at, source, container_name) DO UPDATE SET
    status_1xx = s.status_1xx + excluded.status_1xx, status_2xx = s.status_2xx + excluded.status_2xx,
    status_3xx = s.status_3xx + excluded.status_3xx, status_4xx = s.status_4xx + excluded.status_4xx,
    status_5xx = s.status_5xx + excluded.status_5xx, aborted = s.aborted + excluded.aborted,
    bytes_in = s.bytes_in + excluded.bytes_in, bytes_out = s.bytes_out + excluded.bytes_out,
    durations = ARRAY(SELECT coalesce(was, 0) + coalesce(more, 0)
                        FROM unnest(s.durations, excluded.durations) AS both_of(was, more))`

/** The connection by which an ingress reports what it counted: apart from the one that wakes apps, so that none waits for it. */
export class TrafficSession {
  private readonly id = randomUUID()
  private readonly connection: ReportConnection

  constructor(databaseUrl: string) {
    this.connection = new ReportConnection(databaseUrl, 'berth-ingress-traffic')
  }

  /** Each container once. Throws when the database does not take them. */
  async report(traffic: readonly ReportedTraffic[]): Promise<void> {
    const client = await this.connection.get()
    try {
      await client.query({ name: 'berth_traffic', text: REPORT, values: [this.id, JSON.stringify(traffic)] })
    } catch (error) {
      this.connection.drop()
      throw error
    }
  }

  close(): Promise<void> {
    return this.connection.close()
  }
}
