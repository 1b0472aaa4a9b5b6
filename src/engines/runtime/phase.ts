/** Where a container is in its life. */
export type ContainerPhase = 'created' | 'running' | 'restarting' | 'paused' | 'exited' | 'dead'
