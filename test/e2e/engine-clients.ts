import type { EngineCommand } from '../../src/app-types/engines/engine.ts'

/** What a test does with an engine: scripts for the engine's own client, in another container, with the URL in URL. */
export interface EngineClient {
  /** Writes 10,000 rows; run once. */
  write: string
  /** Prints a line that is the same for the same rows only. Reads, or leaves the rows as they were. */
  fingerprint: string
  /** The line for exactly the written rows. */
  expected: RegExp
  /** What the client says when the server does not accept the password, and not when it cannot be reached. */
  refusal: RegExp
}

export const bash = (script: string): EngineCommand => ['bash', '-euo', 'pipefail', '-c', script]

/** Its client takes no URL. */
const mysql = (statements: string) => `
  [[ $URL =~ ^mysql://(.*):(.*)@(.*):(.*)/(.*)$ ]]
  export MYSQL_PWD="\${BASH_REMATCH[2]}"
  mysql --protocol=tcp --user="\${BASH_REMATCH[1]}" --host="\${BASH_REMATCH[3]}" --port="\${BASH_REMATCH[4]}" \
    --database="\${BASH_REMATCH[5]}" --batch --skip-column-names --execute='${statements}'`

const pika = (program: string) => `
  python3 - <<'END'
import hashlib, os, time, pika
connection = pika.BlockingConnection(pika.URLParameters(os.environ['URL']))
channel = connection.channel()
${program}
connection.close()
END`

export const CLIENTS: Readonly<Record<string, EngineClient>> = {
  POSTGRESQL: {
    write: `psql "$URL" -q -v ON_ERROR_STOP=1 -c 'create table rows (id int primary key, text text not null)' \
      -c "insert into rows select n, md5(n::text) from generate_series(1, 10000) n"`,
    fingerprint: `psql "$URL" -At -c "select count(*), md5(string_agg(id || text, ',' order by id)) from rows"`,
    expected: /^10000\|[0-9a-f]{32}$/,
    refusal: /password authentication failed|no password supplied/,
  },
  REDIS: {
    write: `for i in $(seq 10000); do echo "SET row:$i value-$i"; done | redis-cli -u "$URL" -e --pipe`,
    fingerprint: `keys=$(seq -f 'row:%.0f' 10000)
      values=$(echo "MGET" $keys | redis-cli -u "$URL" -e)
      redis-cli -u "$URL" -e dbsize
      sha256sum <<< "$values"`,
    expected: /^10000\n[0-9a-f]{64} /,
    refusal: /NOAUTH|WRONGPASS/,
  },
  MYSQL: {
    write: mysql(`create table rows_ (id int primary key, text char(32) not null);
      insert into rows_ with recursive n as (select 1 as id union all select id + 1 from n where id < 100)
        select a.id + 100 * (b.id - 1), md5(a.id + 100 * (b.id - 1)) from n as a, n as b;`),
    fingerprint: mysql(
      'set group_concat_max_len = 1000000; select count(*), md5(group_concat(id, text order by id)) from rows_',
    ),
    expected: /^10000\t[0-9a-f]{32}$/,
    refusal: /Access denied/,
  },
  RABBITMQ: {
    write: pika(`
channel.queue_declare('rows', durable=True)
for n in range(10000):
    channel.basic_publish('', 'rows', 'row %d' % n, pika.BasicProperties(delivery_mode=2))
while channel.queue_declare('rows', passive=True).method.message_count < 10000:
    time.sleep(0.1)`),
    // Unacknowledged messages return to the queue, in their order.
    fingerprint: pika(`
rows = [channel.basic_get('rows')[2] for _ in range(channel.queue_declare('rows', passive=True).method.message_count)]
print(len(rows), hashlib.sha256(b','.join(rows)).hexdigest())`),
    expected: /^10000 [0-9a-f]{64}$/,
    refusal: /ACCESS_REFUSED|ProbableAuthenticationError/,
  },
  MONGODB: {
    write: `mongosh --quiet "$URL" --eval '
      db.rows.insertMany(Array.from({ length: 10000 }, (_, n) => ({ _id: n, text: "row " + n })))' > /dev/null`,
    fingerprint: `mongosh --quiet "$URL" --eval '
      const rows = db.rows.find().sort({ _id: 1 }).toArray()
      print(rows.length, require("crypto").createHash("sha256").update(EJSON.stringify(rows)).digest("hex"))'`,
    expected: /^10000 [0-9a-f]{64}$/,
    refusal: /Authentication failed/,
  },
  COUCHDB: {
    write: `curl --silent --show-error --fail-with-body --request PUT "$URL/rows"
      seq 10000 | awk 'BEGIN { printf "{\\"docs\\":[" } { printf "%s{\\"_id\\":\\"row %d\\",\\"n\\":%d}", s, $1, $1; s = "," } END { print "]}" }' |
        curl --silent --show-error --fail-with-body --header 'Content-Type: application/json' --data @- \
          --output /dev/null "$URL/rows/_bulk_docs"`,
    fingerprint: `rows=$(curl --silent --show-error --fail-with-body "$URL/rows/_all_docs?include_docs=true")
      grep --only-matching '"id":"row [0-9]*"' <<< "$rows" | wc --lines
      sha256sum <<< "$rows"`,
    expected: /^10000\n[0-9a-f]{64} /,
    refusal: /error: 401/,
  },
  CLICKHOUSE: {
    write: `clickhouse-client "$URL" --query 'CREATE TABLE rows (id UInt32, text String) ORDER BY id'
      clickhouse-client "$URL" --query 'INSERT INTO rows SELECT number + 1, hex(MD5(toString(number + 1))) FROM numbers(10000)'`,
    fingerprint: `clickhouse-client "$URL" --query \
      "SELECT count(), hex(MD5(arrayStringConcat(groupArray(id || text), ','))) FROM (SELECT toString(id) AS id, text FROM rows ORDER BY rows.id)"`,
    expected: /^10000\t[0-9A-F]{32}$/,
    refusal: /Authentication failed/,
  },
}
