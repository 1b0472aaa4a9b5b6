import { type EnginePointInTime, script } from './engine.ts'
import { setPassword } from './postgresql-password.ts'

// Inside of its container the image trusts local connections, so these commands need no password.
const ASK =
  'ask() { psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --no-psqlrc --quiet --no-align --tuples-only --set=ON_ERROR_STOP=1 "$@"; }'

/** Beside the data's folder, on the same volume: segments are moved from here, not copied. */
const SPOOL = 'spool="$(dirname "$PGDATA")/berth-replay"'

/** Segments that wait to be replayed: the volume holds no more of a long log at a time. */
const WAITING = 8

/** What `restore_command` runs. Waits for the segment, unless it was handed out before: then the server has it. */
const NEXT_SEGMENT = [
  'spool=$(dirname "$0")',
  'case $1 in *.history) exec cp "$spool/$1" "$2" ;; esac',
  '[[ $1 > $(cat "$spool/last" 2>/dev/null) ]] || exit 1',
  'until [ -e "$spool/$1" ]; do',
  '  if [ -e "$spool/end" ]; then [ -e "$spool/$1" ] && break; exit 1; fi',
  '  sleep 0.02',
  'done',
  'mv "$spool/$1" "$2" && printf %s "$1" > "$spool/last"',
]

/** Takes one segment from the stream, once there is room; drops it when the server has reached its target before. */
const TAKE_SEGMENT = [
  ASK,
  'spool=$(dirname "$0")',
  `while [ "$(ls "$spool" | grep -c "^[0-9A-F]*$")" -ge ${WAITING} ]; do`,
  // Only when it says so: a question that fails, as it may in a recovery, drops nothing.
  '  [ "$(ask --command="SELECT pg_is_in_recovery()")" != f ] || exec cat > /dev/null',
  '  sleep 0.05',
  'done',
  'cat > "$spool/.part" && mv "$spool/.part" "$spool/$TAR_FILENAME"',
]

const file = (name: string, lines: readonly string[]): string =>
  [`cat > "$spool/${name}" <<'END_OF_FILE'`, ...lines, 'END_OF_FILE'].join('\n')

const segmentOf = (position: string) =>
  `floor((${position} - '0/0') / (SELECT setting::numeric FROM pg_settings WHERE name = 'wal_segment_size'))`

/** What a replay sets in `postgresql.auto.conf`. */
const REPLAYING = [
  'restore_command',
  'recovery_prefetch',
  'recovery_target',
  'recovery_target_time',
  'recovery_target_timeline',
  'recovery_target_action',
]

/**
 * A replication slot keeps the write-ahead log until it was fetched, up to `max_slot_wal_keep_size`: beyond that the
 * server gives the slot up rather than fill its disk. Nothing has to be configured, or restarted, to begin.
 */
export const pointInTime: EnginePointInTime = {
  covers:
    'The whole server: all databases, roles and privileges, as they were at the chosen moment. Tablespaces in other places cannot be saved.',
  saveFiles: script(
    'exec pg_basebackup --username="$POSTGRES_USER" --pgdata=- --format=tar --wal-method=none --checkpoint=fast',
  ),
  restoreFiles: script(
    'mkdir -p "$PGDATA"',
    'chmod 700 "$PGDATA"',
    'exec tar --extract --no-same-owner --directory="$PGDATA"',
  ),
  log: {
    close: script(
      ASK,
      'ask --set=archive="$ARCHIVE" --set=begins="$BEGINS" --set=forced="$FORCED" --set=mark="$MARK" <<SQL',
      "SELECT :'begins'::boolean AND NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = :'archive') AS creates \\gset",
      '\\if :creates',
      // The slot begins with the last checkpoint: on the present timeline, also just after a promotion.
      '  CHECKPOINT;',
      "  SELECT pg_create_physical_replication_slot(:'archive', true) \\g /dev/null",
      '\\endif',
      "SELECT NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = :'archive'",
      "  AND restart_lsn IS NOT NULL AND wal_status <> 'lost') AS lost \\gset",
      '\\if :lost',
      '  \\echo lost',
      '  \\quit',
      '\\endif',
      // Before the look at what has changed: whatever has not been seen by then was committed later.
      "SELECT date_trunc('milliseconds', clock_timestamp()) AS until \\gset",
      "SELECT :'forced'::boolean OR pg_current_snapshot()::text <> :'mark' AS changed \\gset",
      '\\if :changed',
      // A commit that is later than "until", by which the server finds the end of what it has to replay.
      '  SELECT pg_current_xact_id() \\g /dev/null',
      // Before the segment ends: what is committed after this look is seen as a change the next time.
      '  SELECT pg_current_snapshot() AS mark \\gset',
      '  SELECT pg_switch_wal() \\g /dev/null',
      '\\endif',
      "SELECT to_char(:'until'::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'),",
      `  ${segmentOf('restart_lsn')}, ${segmentOf('pg_current_wal_flush_lsn()')}, :'changed'::boolean, :'mark'`,
      "  FROM pg_replication_slots WHERE slot_name = :'archive';",
      'SQL',
    ),
    fetch: script(
      ASK,
      'timeline=$(ask --command="SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)")',
      'size=$(ask --command="SELECT setting FROM pg_settings WHERE name = \'wal_segment_size\'")',
      'for ((number = FROM; number < TO; number++)); do',
      '  set -- "$@" "$(printf %s%08X%08X "$timeline" $((number / (4294967296 / size))) $((number % (4294967296 / size))))"',
      'done',
      'exec tar --create --directory="$PGDATA/pg_wal" -- "$@"',
    ),
    release: script(
      ASK,
      'ask --set=archive="$ARCHIVE" --set=number="$TO" <<SQL',
      "SELECT '0/0'::pg_lsn + setting::numeric * :number AS position FROM pg_settings WHERE name = 'wal_segment_size' \\gset",
      "SELECT pg_replication_slot_advance(slot_name, :'position') FROM pg_replication_slots",
      "  WHERE slot_name = :'archive' AND restart_lsn < :'position';",
      'SQL',
    ),
    drop: script(
      ASK,
      'ask --set=archive="$ARCHIVE" <<SQL',
      "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = :'archive' AND NOT active;",
      'SQL',
    ),
  },
  replay: {
    prepare: script(
      SPOOL,
      'mkdir -p "$spool"',
      'tar --extract --no-same-owner --ignore-zeros --directory="$spool"',
      file('next', NEXT_SEGMENT),
      file('take', TAKE_SEGMENT),
      'case $TARGET in',
      '  consistent) target="recovery_target = \'immediate\'" ;;',
      '  end) target= ;;',
      // Abbreviations of time zones, such as Z, are not known yet when the server reads it.
      '  *) target="recovery_target_time = \'$(printf %s "$TARGET" | tr --delete Z)+00\'" ;;',
      'esac',
      'cat >> "$PGDATA/postgresql.auto.conf" <<CONFIGURATION',
      'restore_command = \'bash "$spool/next" %f "%p"\'',
      "recovery_target_timeline = 'current'",
      "recovery_target_action = 'promote'",
      // Reading ahead waits for segments that are fed only once what was read before is replayed.
      "recovery_prefetch = 'off'",
      '$target',
      'CONFIGURATION',
      'touch "$PGDATA/recovery.signal"',
    ),
    feed: script(SPOOL, 'export spool', 'exec tar --extract --ignore-zeros --to-command=\'exec bash "$spool/take"\''),
    finish: script(
      ASK,
      SPOOL,
      'mkdir -p "$spool"',
      'touch "$spool/end"',
      'until [ "$(ask --command="SELECT pg_is_in_recovery()")" = f ]; do sleep 0.1; done',
      // That of the environment, whatever it was when the files were saved.
      ...setPassword('POSTGRES_PASSWORD'),
      ...REPLAYING.map((name) => `ask --command="ALTER SYSTEM RESET ${name}"`),
      'ask --command="SELECT pg_reload_conf()" --output=/dev/null',
      'rm -rf "$spool"',
      'ask --command="SELECT to_char(pg_last_xact_replay_timestamp() AT TIME ZONE \'UTC\', \'YYYY-MM-DD\\"T\\"HH24:MI:SS.MS\\"Z\\"\')"',
    ),
  },
}
