// The options of PerfTest as variables: URI, QUEUE, PRODUCERS, CONSUMERS, RATE, QOS, METRICS_PROMETHEUS.
import { createServer } from 'node:http'
import { connect } from 'amqplib'

const { URI, QUEUE = 'perf-test', PRODUCERS = '1', CONSUMERS = '1', RATE = '1', QOS = '0' } = process.env
const counts = { published: 0, consumed: 0 }

const connection = await connect(URI)
connection.on('close', () => process.exit(1))
const channel = await connection.createConfirmChannel()
await channel.assertQueue(QUEUE, { durable: true, autoDelete: process.env.AUTO_DELETE !== 'false' })
if (Number(QOS) > 0) await channel.prefetch(Number(QOS))
for (let number = 0; number < Number(CONSUMERS); number += 1) {
  await channel.consume(QUEUE, (message) => {
    counts.consumed += 1
    channel.ack(message)
  })
}
for (let number = 0; number < Number(PRODUCERS); number += 1) {
  setInterval(() => {
    channel.sendToQueue(QUEUE, Buffer.from(String(Date.now())), { persistent: true })
    counts.published += 1
  }, 1000 / Number(RATE))
}

const metrics = () =>
  Object.entries(counts)
    .map(([name, value]) => `# TYPE perftest_${name}_total counter\nperftest_${name}_total ${value}\n`)
    .join('')
createServer((_request, response) => response.end(metrics())).listen(8080)
process.on('SIGTERM', () => process.exit(0))
