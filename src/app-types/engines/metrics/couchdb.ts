import { type EngineMetrics, script } from '../engine.ts'
import { connections, diskUsage, operations, perSecond, reported } from '../engine-metrics.ts'

const COUNTERS = {
  requests: 'httpd/requests',
  reads: 'database_reads',
  writes: 'database_writes',
  databases: 'open_databases',
}

const MB_PER_KB = 1 / 1024

/** `request` defines a function of the shell that asks the server, and sets `answer`. */
export const couchdbMetrics = (request: string): EngineMetrics => ({
  command: script(
    request,
    // The kernel's table of sockets: 1760 is the port, 01 is ESTABLISHED. Before there is one of our own.
    'printf "connections %s\\n" "$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -c ":1760 [0-9A-F]*:[0-9A-F]* 01 ")"',
    'printf "size_kb %s\\n" "$(du -sk /opt/couchdb/data | cut -f1)"',
    ...Object.entries(COUNTERS).flatMap(([name, path]) => [
      `request GET /_node/_local/_stats/couchdb/${path} "$COUCHDB_PASSWORD" "" || true`,
      `number=\${answer##*'"value":'}; printf "${name} %s\\n" "\${number%%[!0-9.]*}"`,
    ]),
  ),
  series: [
    connections(reported('connections')),
    diskUsage(reported('size_kb', { times: MB_PER_KB })),
    operations(perSecond('requests')),
    {
      name: 'document_reads',
      unit: 'PER_SECOND',
      description: 'Documents that were read.',
      combined: 'SUM',
      value: perSecond('reads'),
    },
    {
      name: 'document_writes',
      unit: 'PER_SECOND',
      description: 'Documents that were written.',
      combined: 'SUM',
      value: perSecond('writes'),
    },
    {
      name: 'open_databases',
      unit: 'COUNT',
      description: 'Databases that are open.',
      combined: 'SUM',
      value: reported('databases'),
    },
  ],
})
