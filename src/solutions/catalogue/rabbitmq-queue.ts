import { defineSolution } from '../solution.ts'

/** Each option of PerfTest is a variable too: rabbitmq.github.io/rabbitmq-perf-test. */
const shared = { URI: '{{broker.internalUrl}}', QUEUE: 'work', AUTO_DELETE: 'false', METRICS_PROMETHEUS: 'true' }

const program = { dockerPreset: 'CUSTOM', image: 'pivotalrabbitmq/perf-test:2.21.0', port: 8080, dependsOn: ['broker'] }

export const rabbitmqQueue = defineSolution({
  slug: 'rabbitmq-queue',
  name: 'Queue with a worker',
  description: 'A sample of work that is queued in RabbitMQ: a producer and a worker.',
  category: 'MESSAGING',
  revision: 1,
  inputs: [{ name: 'rate', label: 'Messages that the producer sends a second', type: 'NUMBER', default: 1 }],
  components: [
    { key: 'broker', name: 'Broker', dockerPreset: 'RABBITMQ', dockerPresetVersion: 'RABBITMQ_4_2' },
    {
      key: 'producer',
      name: 'Producer',
      isMain: true,
      ...program,
      variables: { ...shared, PRODUCERS: '1', CONSUMERS: '0', RATE: '{{inputs.rate}}' },
    },
    {
      key: 'worker',
      name: 'Worker',
      ...program,
      variables: { ...shared, PRODUCERS: '0', CONSUMERS: '1', QOS: '10' },
    },
  ],
  smokeTest: { component: 'producer', path: '/metrics', status: 200, contains: 'perftest_published' },
})
