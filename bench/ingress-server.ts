import { pino } from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../src/config/config.ts'
import { createIngress } from '../src/ingress/ingress.ts'
import { CurrentTable, RouteTable } from '../src/ingress/routes/route-table.ts'

// The ingress as it runs in production, metrics included, with a table of one host; its own process.
const source = new CurrentTable()
source.replace(
  new RouteTable([
    {
      host: 'bench.berth.localhost',
      appEnvId: 'env_bench',
      cliEnvName: 'default-bench-production',
      status: 'RUNNING',
      hasDeployment: true,
      targets: [{ name: 'bench-0', address: '127.0.0.1', port: Number(process.argv[2]) }],
    },
  ]),
)
const config = readConfig({ INGRESS_PORT: process.argv[3] ?? '0' })
const ingress = createIngress({ config, source, log: pino({ level: 'warn' }), registry: new Registry() })
await ingress.listen()
process.send?.(ingress.address().port)
process.on('message', () => process.send?.(process.cpuUsage()))
