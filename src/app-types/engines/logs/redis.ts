import { script } from '../engine.ts'

// Redis keeps its slow log in memory. What came since the last time, oldest first, after the newest number; commands
// from inside of the container are Berth's own. Arguments are cut as Redis cuts them.
const PROGRAM = [
  'local since, lines = tonumber(ARGV[1]), {}',
  'local entries = redis.call("SLOWLOG", "GET", 256)',
  'local newest = entries[1] and entries[1][1] or -1',
  // A server that was started again counts from zero.
  'if newest < since then since = -1 end',
  'for at = #entries, 1, -1 do',
  '  local number, _, micros, words, client = unpack(entries[at])',
  '  if number > since and string.sub(client, 1, 10) ~= "127.0.0.1:" then',
  '    lines[#lines + 1] = string.format("slow command: %.3f ms, from %s: %s", micros / 1000, client, cjson.encode(words))',
  '  end',
  'end',
  'return { newest, unpack(lines) }',
].join('\n')

/** Writes new entries of the slow log to the output of the container's main process. */
export const copyRedisSlowLog = script(
  // In memory, and gone with the container, as the slow log is.
  'seen=/tmp/slow-log-seen; since=-1; [ ! -s "$seen" ] || since=$(< "$seen")',
  `redis-cli -e eval '${PROGRAM}' 0 "$since" |`,
  '  { read -r newest; cat > /proc/1/fd/1; printf %s "$newest" > "$seen"; }',
)
