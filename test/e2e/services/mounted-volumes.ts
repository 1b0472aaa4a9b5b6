import type Docker from 'dockerode'

/**
 * Every volume that a container of an installation has mounted since, also those without a name: an image declares
 * some, and the engine makes them unlabelled.
 */
export class MountedVolumes implements Disposable {
  readonly #docker: Docker
  readonly #events: NodeJS.ReadableStream & { destroy?(): void }
  /** Containers of the installation, with their accounts. */
  readonly #ours = new Map<string, string>()
  /** By the container that mounted them. */
  readonly #mounted = new Map<string, string>()

  static async watch(docker: Docker, installationId: string): Promise<MountedVolumes> {
    const filters = JSON.stringify({ type: ['container', 'volume'], event: ['create', 'mount'] })
    return new MountedVolumes(docker, await docker.getEvents({ filters }), installationId)
  }

  private constructor(docker: Docker, events: NodeJS.ReadableStream, installationId: string) {
    this.#docker = docker
    this.#events = events
    let rest = ''
    events.on('data', (chunk: Buffer) => {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') this.#take(JSON.parse(line), installationId)
    })
    events.on('error', () => {})
  }

  #take({ Type, Action, Actor }: EngineEvent, installationId: string): void {
    const { 'berth.installation': installation, 'berth.account': account = '', container } = Actor.Attributes
    if (Type === 'container' && Action === 'create' && installation === installationId)
      this.#ours.set(Actor.ID, account)
    if (Type === 'volume' && Action === 'mount' && container) this.#mounted.set(Actor.ID, container)
  }

  /** How many volumes the account's containers have mounted. */
  countOf(accountId: string): number {
    return this.#namesOf(accountId).length
  }

  /** Those of the account that the engine still has. */
  async leftOf(accountId: string): Promise<string[]> {
    const { Volumes } = await this.#docker.listVolumes()
    const names = new Set(Volumes.map(({ Name }) => Name))
    return this.#namesOf(accountId).filter((name) => names.has(name))
  }

  #namesOf(accountId: string): string[] {
    return [...this.#mounted].filter(([, by]) => this.#ours.get(by) === accountId).map(([name]) => name)
  }

  [Symbol.dispose](): void {
    this.#events.destroy?.()
  }
}

interface EngineEvent {
  Type: string
  Action: string
  Actor: { ID: string; Attributes: Record<string, string | undefined> }
}
