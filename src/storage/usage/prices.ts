import type { Database } from '../database/client.ts'

/**
 * Notes what accounts are charged from today on, where that has changed: prices of their plan, or the plan. The last of
 * a day is that of the whole day; no day before is touched.
 */
export const recordPrices = (database: Pick<Database, '$executeRaw'>) =>
  database.$executeRaw`
    INSERT INTO usage_price AS u (account_id, day, z_cloud_hour_price, job_z_cloud_hour_price, build_minute_price,
      frozen_gb_month_price, volume_gb_month_price, backup_gb_month_price)
    SELECT a.id, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'), p.z_cloud_hour_price,
      p.job_z_cloud_hour_price, p.build_minute_price, p.frozen_gb_month_price, p.volume_gb_month_price, p.backup_gb_month_price
    FROM account a JOIN plan p ON p.code = a.plan_code
      LEFT JOIN LATERAL (SELECT * FROM usage_price WHERE account_id = a.id ORDER BY day DESC LIMIT 1) AS last ON true
    WHERE (last.z_cloud_hour_price, last.job_z_cloud_hour_price, last.build_minute_price, last.frozen_gb_month_price,
        last.volume_gb_month_price, last.backup_gb_month_price)
      IS DISTINCT FROM (p.z_cloud_hour_price, p.job_z_cloud_hour_price, p.build_minute_price, p.frozen_gb_month_price,
        p.volume_gb_month_price, p.backup_gb_month_price)
    ON CONFLICT (account_id, day) DO UPDATE SET
      z_cloud_hour_price = excluded.z_cloud_hour_price, job_z_cloud_hour_price = excluded.job_z_cloud_hour_price,
      build_minute_price = excluded.build_minute_price,
      frozen_gb_month_price = excluded.frozen_gb_month_price, volume_gb_month_price = excluded.volume_gb_month_price,
      backup_gb_month_price = excluded.backup_gb_month_price`
