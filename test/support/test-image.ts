import Docker from 'dockerode'
import { ensureBaseImage } from '../../scripts/base-image.ts'

/** An image that runs `node`, built on this machine, because tests must not need a registry. */
export const ensureTestImage = (docker = new Docker()): Promise<string> => ensureBaseImage(docker, { offline: true })
