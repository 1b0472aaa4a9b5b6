import type { ContainerFile, EngineFacts, EngineReplication } from './engine.ts'
import { script } from './engine.ts'

const ACCESS_FILE = '/etc/postgresql/access.conf'

/** As the image writes it, and replicas may copy the server with the password of its user. */
export const accessFile = ({ credentials }: EngineFacts): ContainerFile => ({
  path: ACCESS_FILE,
  content: [
    'local all all trust',
    'host all all 127.0.0.1/32 trust',
    'host all all ::1/128 trust',
    'local replication all trust',
    'host all all all scram-sha-256',
    `host replication ${credentials.user} all scram-sha-256`,
    '',
  ].join('\n'),
})

export const optionsOf = ({ settings }: EngineFacts): string[] =>
  // Values of parameters are rows of the user, and may be secrets: they are not logged with slow statements.
  Object.entries({ ...settings, log_parameter_max_length: '0', hba_file: ACCESS_FILE }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])

export const environmentOf = ({ version, dataPath, credentials }: EngineFacts): Record<string, string> => ({
  POSTGRES_USER: credentials.user,
  POSTGRES_PASSWORD: credentials.password,
  POSTGRES_DB: 'berth',
  // Below the mount point, because initdb refuses a folder that has a lost+found. 18 names it so by itself.
  PGDATA: `${dataPath}/${version.version === '18' ? '18/docker' : 'pgdata'}`,
  POSTGRES_INITDB_ARGS: '--data-checksums',
})

/**
 * Copies the first server once, as soon as it answers, and again when that has dropped what the copy needs: it keeps its
 * log for each replica, up to `max_slot_wal_keep_size`. Then follows it for good: nothing promotes a replica.
 */
const FOLLOW = script(
  'slot="replica_$BERTH_REPLICA"',
  'ask() { psql "host=$PRIMARY user=$POSTGRES_USER dbname=$POSTGRES_DB connect_timeout=5" --no-psqlrc --quiet --no-align --tuples-only --set=ON_ERROR_STOP=1 --set=slot="$slot"; }',
  'lost() { [ "$(ask <<< "SELECT wal_status FROM pg_replication_slots WHERE slot_name = :\'slot\'" || echo away)" = lost ]; }',
  'copied="$(dirname "$PGDATA")/copied"',
  'if [ -e "$copied" ] && lost; then rm "$copied"; fi',
  'until [ -e "$copied" ]; do',
  '  rm -rf "$PGDATA"',
  '  if ask <<< "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = :\'slot\'" > /dev/null &&',
  '    pg_basebackup --host="$PRIMARY" --username="$POSTGRES_USER" --pgdata="$PGDATA" --wal-method=stream \\',
  '      --checkpoint=fast --slot="$slot" --create-slot',
  '  then touch "$PGDATA/standby.signal" "$copied"; else sleep 1; fi',
  'done',
  'exec postgres "$@" -c primary_slot_name="$slot" \\',
  '  -c primary_conninfo="host=$PRIMARY user=$POSTGRES_USER application_name=$slot connect_timeout=5"',
)

export const replication: EngineReplication = {
  container: (facts) => ({
    // What follows a script is its name, and then its arguments.
    entrypoint: [...FOLLOW, 'follow'],
    arguments: optionsOf(facts),
    environment: { ...environmentOf(facts), PGPASSWORD: facts.credentials.password },
    files: [accessFile(facts)],
  }),
  lag: script(
    'exec psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --no-psqlrc --quiet --no-align --tuples-only --command="',
    '  SELECT round(CASE',
    // Idle, and connected: everything that there is was replayed, however long ago that was.
    "    WHEN status = 'streaming' AND pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND latest_end_lsn <= pg_last_wal_replay_lsn() THEN 0",
    '    ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END::numeric, 1)',
    '  FROM (VALUES (1)) one LEFT JOIN pg_stat_wal_receiver ON true"',
  ),
}
