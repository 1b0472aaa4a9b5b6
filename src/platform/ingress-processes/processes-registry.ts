import { AggregatorRegistry, Gauge, Registry } from 'prom-client'
import type { IngressProcesses } from './ingress-processes.ts'

/** Shows the metrics of all processes of the ingress after those of this one, summed up. */
export class ProcessesRegistry extends Registry {
  #processes: IngressProcesses | null = null

  follow(processes: IngressProcesses): void {
    this.#processes = processes
    new Gauge({
      name: 'berth_ingress_processes',
      help: 'Processes that serve the port of the ingress.',
      registers: [this],
      collect() {
        this.set(processes.ready)
      },
    })
  }

  override async metrics(): Promise<string> {
    const own = await super.metrics()
    const theirs = (await this.#processes?.metrics()) ?? []
    return `${own}${theirs.length > 0 ? await AggregatorRegistry.aggregate(theirs as never).metrics() : ''}`
  }
}
