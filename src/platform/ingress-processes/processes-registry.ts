import { AggregatorRegistry, Registry } from 'prom-client'

/** Shows the metrics of all processes of the ingress after those of this one, summed up. */
export class ProcessesRegistry extends Registry {
  readonly #processes = new AggregatorRegistry()

  override async metrics(): Promise<string> {
    const own = await super.metrics()
    // One that does not answer in time leaves the metrics incomplete, so that none are shown.
    const theirs = await this.#processes.clusterMetrics().catch(() => '')
    return `${own}${theirs}`
  }
}
